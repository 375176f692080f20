-- Guards on the control tables themselves: append-only, forward-only, and one duty to a login. They hold for a table's owner
-- and for session_replication_role = replica too (ENABLE ALWAYS); a superuser who disables them is a residual power.
CREATE FUNCTION wap_admin.refuse_change() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
  RAISE EXCEPTION 'append-only: % on %.% is refused', TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME USING ERRCODE = 'WAP16';
END
$body$;

DO $triggers$
DECLARE
  v_table text;
BEGIN
  FOREACH v_table IN ARRAY ARRAY['expected_audits', 'audit_log', 'manifests', 'landings', 'relations', 'seals', 'exclusions', 'advisories',
                                 'changes', 'failures', 'approvals', 'publications', 'verifications', 'transitions'] LOOP
    EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON wap_admin.%I
                    FOR EACH STATEMENT EXECUTE FUNCTION wap_admin.refuse_change()', v_table);
    EXECUTE format('ALTER TABLE wap_admin.%I ENABLE ALWAYS TRIGGER append_only', v_table);
  END LOOP;
END
$triggers$;

CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON wap_admin.runs
  FOR EACH STATEMENT EXECUTE FUNCTION wap_admin.refuse_change();
ALTER TABLE wap_admin.runs ENABLE ALWAYS TRIGGER append_only;

-- Which status may follow which, which columns may be filled on the way, and that nothing once written changes
-- (specification 2: "treat one RUN_ID as immutable"; domain/run.ts holds the same table).
CREATE FUNCTION wap_admin.forward_only() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  v_changed text;
  v_early text;
BEGIN
  IF TG_OP = 'INSERT' THEN
    IF NEW.status <> 'building' OR NEW.stage_oid IS NOT NULL OR NEW.audited_at IS NOT NULL OR NEW.approved_at IS NOT NULL
       OR NEW.published_at IS NOT NULL OR NEW.approved_by IS NOT NULL OR NEW.approval_ref IS NOT NULL
       OR NEW.stage_fingerprint IS NOT NULL OR NEW.stage_row_count IS NOT NULL OR NEW.stage_schema_fingerprint IS NOT NULL
       OR NEW.rollback_name IS NOT NULL THEN
      RAISE EXCEPTION 'run % has to begin as building, with nothing decided', NEW.run_id USING ERRCODE = 'WAP16';
    END IF;
    NEW.created_at := clock_timestamp();
    RETURN NEW;
  END IF;

  IF OLD.status <> NEW.status AND NOT (OLD.status, NEW.status) IN (
       ('building', 'built'), ('building', 'failed'),
       ('built', 'audited'), ('built', 'failed'),
       ('audited', 'approved'), ('audited', 'failed'),
       ('approved', 'published'), ('approved', 'failed'),
       ('published', 'rolled_back')) THEN
    RAISE EXCEPTION 'run % cannot go from % to %', OLD.run_id, OLD.status, NEW.status USING ERRCODE = 'WAP16';
  END IF;

  SELECT string_agg(o.key, ', ' ORDER BY o.key) INTO v_changed
  FROM jsonb_each(to_jsonb(OLD)) o
  WHERE o.key <> 'status' AND o.value <> 'null'::jsonb AND to_jsonb(NEW) -> o.key IS DISTINCT FROM o.value;
  IF v_changed IS NOT NULL THEN
    RAISE EXCEPTION 'run %: % may not change', OLD.run_id, v_changed USING ERRCODE = 'WAP16';
  END IF;

  SELECT string_agg(n.key, ', ' ORDER BY n.key) INTO v_early
  FROM jsonb_each(to_jsonb(NEW)) n
  WHERE n.value <> 'null'::jsonb AND to_jsonb(OLD) -> n.key = 'null'::jsonb
    AND NOT (n.key, OLD.status, NEW.status) IN (
      ('stage_oid', 'building', 'building'),
      ('audited_at', 'built', 'audited'), ('stage_row_count', 'built', 'audited'),
      ('stage_fingerprint', 'built', 'audited'), ('stage_schema_fingerprint', 'built', 'audited'),
      ('approved_by', 'audited', 'approved'), ('approval_ref', 'audited', 'approved'), ('approved_at', 'audited', 'approved'),
      ('published_at', 'approved', 'published'), ('rollback_name', 'approved', 'published'));
  IF v_early IS NOT NULL THEN
    RAISE EXCEPTION 'run %: % may not be set from % to %', OLD.run_id, v_early, OLD.status, NEW.status USING ERRCODE = 'WAP16';
  END IF;
  IF NEW.status = 'built' AND NEW.stage_oid IS NULL THEN
    RAISE EXCEPTION 'run % has no stage', OLD.run_id USING ERRCODE = 'WAP16';
  END IF;
  RETURN NEW;
END
$body$;
CREATE TRIGGER forward_only BEFORE INSERT OR UPDATE ON wap_admin.runs
  FOR EACH ROW EXECUTE FUNCTION wap_admin.forward_only();
ALTER TABLE wap_admin.runs ENABLE ALWAYS TRIGGER forward_only;

CREATE FUNCTION wap_admin.record_transition() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
  IF TG_OP = 'INSERT' OR OLD.status <> NEW.status THEN
    INSERT INTO wap_admin.transitions (run_id, from_status, to_status, login)
    VALUES (NEW.run_id, CASE WHEN TG_OP = 'UPDATE' THEN OLD.status END, NEW.status, session_user);
  END IF;
  RETURN NULL;
END
$body$;
CREATE TRIGGER record_transition AFTER INSERT OR UPDATE ON wap_admin.runs
  FOR EACH ROW EXECUTE FUNCTION wap_admin.record_transition();
ALTER TABLE wap_admin.runs ENABLE ALWAYS TRIGGER record_transition;

-- The login itself (session_user, which SET ROLE cannot change) must hold this duty, and none that is to be kept apart from it
-- (safety A1). Building and auditing may meet in one login; approving and publishing meet nothing.
CREATE FUNCTION wap_admin.require_duty(p_duty text) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  v_other text;
BEGIN
  IF (SELECT r.rolsuper OR r.rolcreaterole OR r.rolreplication OR r.rolbypassrls FROM pg_roles r WHERE r.rolname = session_user) THEN
    RAISE EXCEPTION 'login % is a superuser or may create roles, replicate or bypass row security: it cannot act as %', session_user, p_duty
      USING ERRCODE = 'WAP01';
  END IF;
  IF NOT pg_has_role(session_user, p_duty, 'MEMBER') THEN
    RAISE EXCEPTION 'login % is not a member of %', session_user, p_duty USING ERRCODE = 'WAP01';
  END IF;
  FOREACH v_other IN ARRAY ARRAY['wap_builder', 'wap_auditor', 'wap_approver', 'wap_publisher', 'wap_owner', 'wap_vault', 'wap_target'] LOOP
    CONTINUE WHEN v_other = p_duty
      OR (p_duty IN ('wap_builder', 'wap_auditor') AND v_other IN ('wap_builder', 'wap_auditor'));
    IF pg_has_role(session_user, v_other, 'MEMBER') THEN
      RAISE EXCEPTION 'separation of duties: login % is a member of % and of %', session_user, p_duty, v_other USING ERRCODE = 'WAP01';
    END IF;
  END LOOP;
END
$body$;
