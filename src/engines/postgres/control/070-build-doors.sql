-- Doors of the builder: start a run, create and seal what it lands and builds. The builder never owns any of it.
CREATE FUNCTION wap_admin.own_building_run(p_run_id uuid) RETURNS wap_admin.manifests
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  m wap_admin.manifests;
  v_status text;
BEGIN
  PERFORM wap_admin.require_duty('wap_builder');
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'a build runs at READ COMMITTED: at % it would seal rows that it does not count', current_setting('transaction_isolation')
      USING ERRCODE = 'WAP04';
  END IF;
  SELECT r.status INTO v_status FROM wap_admin.runs r WHERE r.run_id = p_run_id FOR UPDATE;
  IF v_status IS NULL THEN
    RAISE EXCEPTION 'there is no run %', p_run_id USING ERRCODE = 'WAP02';
  END IF;
  SELECT * INTO STRICT m FROM wap_admin.manifests WHERE run_id = p_run_id;
  IF m.built_by <> session_user THEN
    RAISE EXCEPTION 'run % was started by %, not by %', p_run_id, m.built_by, session_user USING ERRCODE = 'WAP01';
  END IF;
  IF v_status <> 'building' THEN
    RAISE EXCEPTION 'run % is %: it can no longer be built', p_run_id, v_status USING ERRCODE = 'WAP04';
  END IF;
  RETURN m;
END
$body$;

CREATE FUNCTION wap_admin.start_run(p_manifest jsonb, p_audits jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  v_run uuid := (p_manifest ->> 'run_id')::uuid;
  v_schema text := p_manifest ->> 'target_schema';
  v_relation text := p_manifest ->> 'target_relation';
  v_target text;
  v_contract jsonb := (p_manifest ->> 'contract')::jsonb;
  v_undeclared text;
  v_name text;
BEGIN
  PERFORM wap_admin.require_duty('wap_builder');
  IF v_run IS NULL OR v_schema IS NULL OR v_relation IS NULL THEN
    RAISE EXCEPTION 'the manifest names no run or no target' USING ERRCODE = 'WAP17';
  END IF;
  v_target := format('%I.%I', v_schema, v_relation);
  IF EXISTS (SELECT 1 FROM wap_admin.runs r WHERE r.run_id = v_run) THEN
    RAISE EXCEPTION 'run % exists', v_run USING ERRCODE = 'WAP03';
  END IF;
  IF encode(sha256(convert_to(p_manifest ->> 'contract', 'UTF8')), 'hex') IS DISTINCT FROM p_manifest ->> 'contract_hash' THEN
    RAISE EXCEPTION 'contract_hash is not the hash of the contract' USING ERRCODE = 'WAP17';
  END IF;
  -- The contract names its target; a part without a dot or white space may stand without quotes (domain/identifier.ts).
  IF NOT coalesce(v_contract ->> 'target' IN (
       format('"%s"."%s"', v_schema, v_relation),
       CASE WHEN v_schema !~ '[.[:space:]]' THEN format('%s."%s"', v_schema, v_relation) END,
       CASE WHEN v_relation !~ '[.[:space:]]' THEN format('"%s".%s', v_schema, v_relation) END,
       CASE WHEN v_schema || v_relation !~ '[.[:space:]]' THEN format('%s.%s', v_schema, v_relation) END), false) THEN
    RAISE EXCEPTION 'the contract is for %, not for %', v_contract ->> 'target', v_target USING ERRCODE = 'WAP17';
  END IF;
  IF v_schema IN ('pg_catalog', 'information_schema', 'pg_toast', 'wap_admin', 'wap_raw', 'wap_stage') THEN
    RAISE EXCEPTION 'target % is not one that wap publishes', v_target USING ERRCODE = 'WAP17';
  END IF;
  IF v_contract -> 'database' ->> 'consumer_role' IN
       ('wap_owner', 'wap_vault', 'wap_target', 'wap_builder', 'wap_auditor', 'wap_approver', 'wap_publisher') THEN
    RAISE EXCEPTION 'consumer role % is one of the roles of wap itself', v_contract -> 'database' ->> 'consumer_role' USING ERRCODE = 'WAP17';
  END IF;
  IF NOT coalesce(v_contract -> 'clauses' ?& ARRAY['volume', 'grain', 'conservation', 'bounds', 'reconciliation', 'freshness', 'known_quirks'], false) THEN
    RAISE EXCEPTION 'the contract does not hold all seven clauses' USING ERRCODE = 'WAP17';
  END IF;
  -- Run-scoped names end with what only this run and target give (domain/identifier.ts): none can be another run's.
  FOREACH v_name IN ARRAY ARRAY[p_manifest ->> 'raw_relation', p_manifest ->> 'rejects_relation', p_manifest ->> 'excluded_relation', p_manifest ->> 'stage_relation'] LOOP
    IF v_name IS NULL OR octet_length(v_name) > 63 OR v_name !~ '__(wap|rej|exc)_[0-9a-f]{12}$'
       OR right(v_name, 12) <> left(encode(sha256(convert_to(format(E'%s\n%s\n%s', v_run, v_schema, v_relation), 'UTF8')), 'hex'), 12) THEN
      RAISE EXCEPTION 'run-scoped name % is not one that wap makes', coalesce(v_name, 'null') USING ERRCODE = 'WAP17';
    END IF;
  END LOOP;
  -- Every gating assertion of the contract is expected, under its own clause: a builder cannot leave one out.
  SELECT string_agg(c.key || '.' || a.key, ', ' ORDER BY c.key, a.key) INTO v_undeclared
  FROM jsonb_each(v_contract -> 'clauses') c CROSS JOIN LATERAL jsonb_each(c.value) a
  WHERE a.key <> 'not_applicable' AND coalesce(a.value ->> 'level', 'gate') = 'gate'
    AND NOT EXISTS (SELECT 1 FROM jsonb_array_elements(p_audits) e
                    WHERE e ->> 'name' = a.key AND e ->> 'clause' = c.key AND e ->> 'level' = 'gate');
  IF v_undeclared IS NOT NULL THEN
    RAISE EXCEPTION 'assertions of the contract are not among the expected audits: %', v_undeclared USING ERRCODE = 'WAP17';
  END IF;
  IF wap_admin.target_fingerprint(v_schema, v_relation) IS DISTINCT FROM p_manifest ->> 'preflight_fingerprint' THEN
    RAISE EXCEPTION 'target % changed while preflight looked at it', v_target USING ERRCODE = 'WAP07';
  END IF;

  INSERT INTO wap_admin.runs (run_id, engine, source_ref, source_fingerprint, target_name, target_oid, stage_name, contract_hash,
                              transform_hash, preflight_fingerprint, status)
  VALUES (v_run, 'postgres', p_manifest ->> 'source_ref', p_manifest ->> 'source_fingerprint', v_target,
          wap_admin.find_relation(v_schema, v_relation), format('%I.%I', 'wap_stage', p_manifest ->> 'stage_relation'),
          p_manifest ->> 'contract_hash', p_manifest ->> 'transform_hash', p_manifest ->> 'preflight_fingerprint', 'building');
  INSERT INTO wap_admin.manifests (run_id, target_schema, target_relation, raw_relation, rejects_relation, excluded_relation, stage_relation,
                                   contract_id, contract_path, contract, transform_sql, excluded_rows_sql, consumer_role, provenance,
                                   preflight, plan, control_fingerprint, base_run_id, built_by)
  VALUES (v_run, v_schema, v_relation, p_manifest ->> 'raw_relation', p_manifest ->> 'rejects_relation', p_manifest ->> 'excluded_relation',
          p_manifest ->> 'stage_relation', v_contract ->> 'id', p_manifest ->> 'contract_path', p_manifest ->> 'contract',
          p_manifest ->> 'transform_sql', p_manifest ->> 'excluded_rows_sql', v_contract -> 'database' ->> 'consumer_role',
          p_manifest -> 'provenance', p_manifest -> 'preflight', p_manifest -> 'plan', p_manifest ->> 'control_fingerprint',
          wap_admin.current_run(v_target), session_user);
  INSERT INTO wap_admin.expected_audits (run_id, audit_name, audit_category, expectation)
  SELECT v_run, e ->> 'name', e ->> 'clause', e ->> 'expectation' FROM jsonb_array_elements(p_audits) e WHERE e ->> 'level' = 'gate';
END
$body$;

-- Creates one run-scoped relation as the vault's, with nothing for anybody but what is granted here. Plain CREATE: a name that
-- exists already is an error, never a table to share.
CREATE FUNCTION wap_admin.create_run_relation(p_run_id uuid, p_purpose text, p_schema text, p_relation text, p_columns text) RETURNS oid
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET default_tablespace = '' SET default_table_access_method = 'heap' AS $body$
DECLARE
  v_oid oid;
BEGIN
  EXECUTE format('CREATE TABLE %I.%I (%s)', p_schema, p_relation, p_columns);
  v_oid := wap_admin.find_relation(p_schema, p_relation);
  EXECUTE format('REVOKE ALL ON %I.%I FROM PUBLIC', p_schema, p_relation);
  EXECUTE format('ALTER TABLE %I.%I OWNER TO wap_vault', p_schema, p_relation);
  PERFORM wap_admin.revoke_all(v_oid);
  EXECUTE format('GRANT SELECT, INSERT ON %I.%I TO wap_builder', p_schema, p_relation);
  INSERT INTO wap_admin.relations (run_id, purpose, relation_id) VALUES (p_run_id, p_purpose, v_oid);
  RETURN v_oid;
END
$body$;

-- Takes away every grant but the owner's, whoever made it (default privileges may have: trap 031).
CREATE FUNCTION wap_admin.revoke_all(p_relation oid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  v_grantee text;
BEGIN
  FOR v_grantee IN
    SELECT DISTINCT CASE WHEN x.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(x.grantee)) END
    FROM pg_class c, aclexplode(c.relacl) x WHERE c.oid = p_relation AND x.grantee <> c.relowner
  LOOP
    EXECUTE format('REVOKE ALL ON %s FROM %s CASCADE', wap_admin.qualified_name(p_relation), v_grantee);
  END LOOP;
END
$body$;

-- No more writes: nobody but the owner may do more than read, and a trigger refuses even the owner's.
CREATE FUNCTION wap_admin.seal_relation(p_relation oid, p_readers text[]) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  v_name text := wap_admin.qualified_name(p_relation);
  v_reader text;
BEGIN
  -- Waits for every open writer of the relation.
  EXECUTE 'LOCK TABLE ' || v_name || ' IN ACCESS EXCLUSIVE MODE';
  PERFORM wap_admin.revoke_all(p_relation);
  EXECUTE format('CREATE TRIGGER sealed BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON %s
                  FOR EACH STATEMENT EXECUTE FUNCTION wap_admin.refuse_change()', v_name);
  EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER sealed', v_name);
  FOREACH v_reader IN ARRAY p_readers LOOP
    EXECUTE format('GRANT SELECT ON %s TO %I', v_name, v_reader);
  END LOOP;
  PERFORM wap_admin.assert_sealed(p_relation);
END
$body$;

-- The raw snapshot (every cell as text) and its rejects (specification 3).
CREATE FUNCTION wap_admin.open_raw(p_run_id uuid, p_header text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  m wap_admin.manifests := wap_admin.own_building_run(p_run_id);
  v_columns text;
BEGIN
  IF EXISTS (SELECT 1 FROM unnest(p_header) h WHERE h IS NULL OR h = '' OR octet_length(h) > 63) THEN
    RAISE EXCEPTION 'a column name of the header is empty or longer than 63 bytes' USING ERRCODE = 'WAP17';
  END IF;
  SELECT string_agg(format('%I text', h), ', ' ORDER BY n) INTO v_columns FROM unnest(p_header) WITH ORDINALITY AS u (h, n);
  PERFORM wap_admin.create_run_relation(p_run_id, 'raw', 'wap_raw', m.raw_relation,
    '_src_row bigint GENERATED BY DEFAULT AS IDENTITY NOT NULL, ' || v_columns);
  PERFORM wap_admin.create_run_relation(p_run_id, 'rejects', 'wap_raw', m.rejects_relation,
    '_src_row bigint NOT NULL, _line bigint NOT NULL, reason text NOT NULL, message text NOT NULL, record text NOT NULL');
END
$body$;

-- Seals the raw snapshot and records the landing. The database counts what lies in the tables; a difference to what was parsed is
-- for the contract's conservation audit to find.
CREATE FUNCTION wap_admin.seal_raw(p_run_id uuid, p_landing jsonb) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  m wap_admin.manifests := wap_admin.own_building_run(p_run_id);
  v_raw oid := (SELECT l.relation_id FROM wap_admin.relations l WHERE l.run_id = p_run_id AND l.purpose = 'raw');
  v_rejects oid := (SELECT l.relation_id FROM wap_admin.relations l WHERE l.run_id = p_run_id AND l.purpose = 'rejects');
  v_landed bigint;
  v_rejected bigint;
  v_reasons jsonb;
  v_landing jsonb;
BEGIN
  IF p_landing ->> 'sha256' IS DISTINCT FROM (SELECT r.source_fingerprint FROM wap_admin.runs r WHERE r.run_id = p_run_id) THEN
    RAISE EXCEPTION 'the landed bytes are not those that the run began with' USING ERRCODE = 'WAP17';
  END IF;
  PERFORM wap_admin.seal_relation(v_raw, ARRAY['wap_builder', 'wap_auditor']);
  PERFORM wap_admin.seal_relation(v_rejects, ARRAY['wap_builder', 'wap_auditor']);
  EXECUTE format('SELECT count(*) FROM wap_raw.%I', m.raw_relation) INTO v_landed;
  EXECUTE format('SELECT count(*) FROM wap_raw.%I', m.rejects_relation) INTO v_rejected;
  EXECUTE format('SELECT coalesce(jsonb_object_agg(g.reason, g.n::text), ''{}'') FROM (SELECT reason, count(*) AS n FROM wap_raw.%I GROUP BY reason) g',
                 m.rejects_relation) INTO v_reasons;
  EXECUTE format('ANALYZE wap_raw.%I', m.raw_relation);
  v_landing := p_landing || jsonb_build_object('landed', v_landed::text, 'rejected', v_rejected::text, 'rejectReasons', v_reasons,
    'rawName', wap_admin.qualified_name(v_raw), 'rejectsName', wap_admin.qualified_name(v_rejects));
  INSERT INTO wap_admin.landings (run_id, raw_oid, rejects_oid, landing, parsed, landed, rejected)
  VALUES (p_run_id, v_raw, v_rejects, v_landing, (p_landing ->> 'parsed')::bigint, v_landed, v_rejected);
  RETURN v_landing;
END
$body$;

-- Ends a run as failed, with its reason; any duty may end a run of its own stage of the story.
CREATE FUNCTION wap_admin.fail_run(p_run_id uuid, p_code text, p_message text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  v_status text;
BEGIN
  SELECT r.status INTO v_status FROM wap_admin.runs r WHERE r.run_id = p_run_id FOR UPDATE;
  IF v_status IS NULL THEN
    RAISE EXCEPTION 'there is no run %', p_run_id USING ERRCODE = 'WAP02';
  ELSIF v_status IN ('building', 'built') AND pg_has_role(session_user, 'wap_auditor', 'MEMBER')
        AND NOT pg_has_role(session_user, 'wap_builder', 'MEMBER') THEN
    PERFORM wap_admin.require_duty('wap_auditor');
  ELSIF v_status IN ('building', 'built') THEN
    PERFORM wap_admin.require_duty('wap_builder');
    IF session_user <> (SELECT m.built_by FROM wap_admin.manifests m WHERE m.run_id = p_run_id) THEN
      RAISE EXCEPTION 'run % is another builder''s', p_run_id USING ERRCODE = 'WAP01';
    END IF;
  ELSIF v_status IN ('audited', 'approved') THEN
    PERFORM wap_admin.require_duty('wap_publisher');
  ELSE
    RAISE EXCEPTION 'run % is %: it has ended', p_run_id, v_status USING ERRCODE = 'WAP04';
  END IF;
  INSERT INTO wap_admin.failures (run_id, code, message) VALUES (p_run_id, p_code, left(p_message, 4000));
  UPDATE wap_admin.runs SET status = 'failed' WHERE run_id = p_run_id;
END
$body$;
