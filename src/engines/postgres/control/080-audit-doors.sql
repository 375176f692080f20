-- Doors of the auditor: record what was measured, then the gate before approval (specification 5 and 6).

-- A login that also builds audits its own runs only: it decides nothing about another builder's.
CREATE FUNCTION wap_admin.assert_not_anothers(p_run_id uuid) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  v_builder text := (SELECT m.built_by FROM wap_admin.manifests m WHERE m.run_id = p_run_id);
BEGIN
  IF v_builder <> session_user AND pg_has_role(session_user, 'wap_builder', 'MEMBER') THEN
    RAISE EXCEPTION 'run % was built by %: % builds too, and audits only its own', p_run_id, v_builder, session_user USING ERRCODE = 'WAP01';
  END IF;
END
$body$;

-- One reading per expected audit, advisory readings beside them. Readings are taken of a sealed stage; those of a failed run are
-- evidence only, since nothing leads from failed to published.
CREATE FUNCTION wap_admin.record_readings(p_run_id uuid, p_readings jsonb, p_advisories jsonb, p_changes jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  v_status text;
BEGIN
  PERFORM wap_admin.require_duty('wap_auditor');
  PERFORM wap_admin.assert_not_anothers(p_run_id);
  SELECT r.status INTO v_status FROM wap_admin.runs r WHERE r.run_id = p_run_id FOR UPDATE;
  IF v_status IS NULL THEN
    RAISE EXCEPTION 'there is no run %', p_run_id USING ERRCODE = 'WAP02';
  ELSIF v_status NOT IN ('built', 'failed') THEN
    RAISE EXCEPTION 'run % is %: readings are taken of a sealed stage, once', p_run_id, v_status USING ERRCODE = 'WAP04';
  END IF;
  INSERT INTO wap_admin.audit_log (run_id, audit_name, passed, observed)
  SELECT p_run_id, a ->> 'name', (a ->> 'passed')::boolean, a -> 'observed' FROM jsonb_array_elements(p_readings) a;
  INSERT INTO wap_admin.advisories (run_id, audit_name, audit_category, expectation, passed, observed)
  SELECT p_run_id, a ->> 'name', a ->> 'clause', a ->> 'expectation', (a ->> 'passed')::boolean, a -> 'observed'
  FROM jsonb_array_elements(p_advisories) a;
  IF p_changes IS NOT NULL THEN
    INSERT INTO wap_admin.changes (run_id, changes) VALUES (p_run_id, p_changes);
  END IF;
END
$body$;

-- Fingerprints what was audited and asks the gate, in one transaction. The run is audited after it, or failed with the gate's words.
CREATE FUNCTION wap_admin.finish_audit(p_run_id uuid) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  r wap_admin.runs%ROWTYPE;
  v_rows bigint;
  v_content text;
  v_rejection text;
BEGIN
  PERFORM wap_admin.require_duty('wap_auditor');
  PERFORM wap_admin.assert_not_anothers(p_run_id);
  SELECT * INTO r FROM wap_admin.runs WHERE run_id = p_run_id FOR UPDATE;
  IF r.status IS DISTINCT FROM 'built' THEN
    RAISE EXCEPTION 'run % is %: the gate comes once, after the audit of a built stage', p_run_id, coalesce(r.status, 'unknown') USING ERRCODE = 'WAP04';
  END IF;
  PERFORM wap_admin.lock_stage(r.stage_oid, r.stage_name);
  SELECT f.row_count, f.fingerprint INTO v_rows, v_content FROM wap_admin.content_fingerprint(r.stage_oid) f;
  BEGIN
    UPDATE wap_admin.runs
    SET status = 'audited', audited_at = clock_timestamp(), stage_row_count = v_rows, stage_fingerprint = v_content,
        stage_schema_fingerprint = wap_admin.stage_schema_fingerprint(r.stage_oid)
    WHERE run_id = p_run_id;
    PERFORM wap_admin.assert_gate(p_run_id, false);
    RETURN 'audited';
  EXCEPTION WHEN raise_exception THEN
    v_rejection := SQLERRM;
  END;
  INSERT INTO wap_admin.failures (run_id, code, message)
  VALUES (p_run_id, CASE WHEN EXISTS (SELECT 1 FROM wap_admin.audit_log a WHERE a.run_id = p_run_id AND a.passed IS NOT TRUE)
                         THEN 'audit_failed' ELSE 'gate_rejected' END, v_rejection);
  UPDATE wap_admin.runs SET status = 'failed' WHERE run_id = p_run_id;
  RETURN 'failed';
END
$body$;
