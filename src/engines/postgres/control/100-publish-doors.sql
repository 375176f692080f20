-- Doors of the publisher: promote, roll back, record the verification (specification 7 and 8; design: postgres 5).

-- Both promotions begin alike: who asks, at which isolation, with which limits.
CREATE FUNCTION wap_admin.begin_promotion() RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
  PERFORM wap_admin.require_duty('wap_publisher');
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'a promotion runs at READ COMMITTED: at % its snapshot would be older than its locks', current_setting('transaction_isolation')
      USING ERRCODE = 'WAP04';
  END IF;
  IF current_setting('lock_timeout') = '0' OR current_setting('statement_timeout') = '0'
     OR current_setting('idle_in_transaction_session_timeout') = '0' THEN
    RAISE EXCEPTION 'a promotion needs finite lock, statement and idle timeouts' USING ERRCODE = 'WAP04';
  END IF;
END
$body$;

-- Freezes an existing target view without disturbing its readers: SHARE UPDATE EXCLUSIVE on the view alone. COMMENT with its own
-- text is the one statement that takes it (LOCK TABLE on a view would lock the tables under it too: trap 015).
CREATE FUNCTION wap_admin.freeze_view(p_view oid) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
  EXECUTE format('COMMENT ON VIEW %s IS %L', wap_admin.qualified_name(p_view), obj_description(p_view, 'pg_class'));
END
$body$;

-- Sessions whose locks on a relation, or whose snapshots, stand in the way; empty text where there is none that can be seen.
CREATE FUNCTION wap_admin.blockers(p_relation oid, p_older_than interval) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $body$
  SELECT coalesce(string_agg(format('pid %s (user %s, transaction open for %s s)', a.pid, coalesce(a.usename::text, 'unknown'),
    coalesce(round(extract(epoch FROM clock_timestamp() - a.xact_start))::text, 'an unknown number of')), ', ' ORDER BY a.xact_start, a.pid), '')
  FROM (SELECT DISTINCT l.pid FROM pg_locks l
        WHERE l.locktype = 'relation' AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
          AND l.relation = p_relation AND l.granted AND l.pid <> pg_backend_pid()) held
  JOIN pg_stat_activity a ON a.pid = held.pid
  WHERE a.xact_start < clock_timestamp() - p_older_than
$body$;

-- Sessions that hold a snapshot from before the stage was sealed: at REPEATABLE READ they would find the new version empty (trap 087).
CREATE FUNCTION wap_admin.old_snapshots(p_run_id uuid) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $body$
  SELECT coalesce(string_agg(format('pid %s (user %s, transaction open since %s)', a.pid, a.usename, a.xact_start), ', ' ORDER BY a.xact_start, a.pid), '')
  FROM pg_stat_activity a, wap_admin.seals s
  WHERE s.run_id = p_run_id AND a.datname = current_database() AND a.pid <> pg_backend_pid() AND a.backend_type = 'client backend'
    AND a.xact_start < s.sealed_at AND a.backend_xmin IS NOT NULL
    AND age(a.backend_xmin) >= age((s.sealed_xid::text::numeric % 4294967296)::text::xid)
$body$;

-- The exclusive step: the view shows another version. Peeks before it queues, queues for at most 100 ms, tries again a bounded number of
-- times, and keeps the locks and proofs taken before (a try is a savepoint: trap 093). Returns how long readers can have waited for it.
CREATE FUNCTION wap_admin.show_version(p_target text, p_backing oid, p_first boolean, OUT tries integer, OUT started timestamptz)
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  v_target oid;
  v_options text;
  v_statement text;
  v_give_up timestamptz := clock_timestamp() + interval '60 seconds';
  v_columns text := (SELECT string_agg(format('%I', a.attname), ', ' ORDER BY a.attnum)
                     FROM pg_attribute a WHERE a.attrelid = p_backing AND a.attnum > 0 AND NOT a.attisdropped);
  v_limit text := current_setting('lock_timeout');
BEGIN
  tries := 0;
  IF p_first THEN
    started := clock_timestamp();
    tries := 1;
    EXECUTE format('CREATE VIEW %s AS SELECT %s FROM %s', p_target, v_columns, wap_admin.qualified_name(p_backing));
    RETURN;
  END IF;
  v_target := to_regclass(p_target);
  -- CREATE OR REPLACE VIEW without WITH would reset every option (traps 002 and 003): restate them.
  SELECT 'WITH (' || string_agg(format('%I = %L', split_part(o, '=', 1), substr(o, strpos(o, '=') + 1)), ', ') || ') ' INTO v_options
  FROM pg_class c, unnest(c.reloptions) o WHERE c.oid = v_target;
  v_statement := format('CREATE OR REPLACE VIEW %s %sAS SELECT %s FROM %s', p_target, coalesce(v_options, ''), v_columns, wap_admin.qualified_name(p_backing));
  LOOP
    tries := tries + 1;
    WHILE wap_admin.blockers(v_target, interval '200 milliseconds') <> '' AND clock_timestamp() < v_give_up LOOP
      PERFORM pg_sleep(0.05);
    END LOOP;
    started := clock_timestamp();
    BEGIN
      PERFORM set_config('lock_timeout', '100ms', true);
      EXECUTE v_statement;
      PERFORM set_config('lock_timeout', v_limit, true);
      RETURN;
    EXCEPTION WHEN lock_not_available THEN
      IF tries >= 40 OR clock_timestamp() >= v_give_up THEN
        RAISE EXCEPTION 'readers of % did not let go within % tries: %', p_target, tries,
          coalesce(nullif(wap_admin.blockers(v_target, interval '0'), ''), 'no session that can be seen') USING ERRCODE = '55P03';
      END IF;
    END;
    PERFORM pg_sleep(0.1 + random() * 0.3);
  END LOOP;
END
$body$;

-- What must be true of the target after the exclusive step and before COMMIT: it is exactly our view over that version, everything
-- else about it is as before, and those who read it can.
CREATE FUNCTION wap_admin.assert_shown(p_target text, p_backing oid, p_state text, p_consumer text) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  v_view oid := to_regclass(p_target);
  v_owner text := (SELECT pg_get_userbyid(c.relowner) FROM pg_class c WHERE c.oid = to_regclass(p_target));
BEGIN
  IF NOT wap_admin.is_version_view(v_view, p_backing) THEN
    RAISE EXCEPTION '% does not show exactly the promoted version', p_target USING ERRCODE = 'WAP07';
  END IF;
  IF p_state IS NOT NULL AND wap_admin.inventory_fingerprint(v_view, ARRAY['definition']) <> p_state THEN
    RAISE EXCEPTION 'owner, grants, options, comments or dependents of % changed during the promotion', p_target USING ERRCODE = 'WAP07';
  END IF;
  IF NOT has_table_privilege(v_owner, p_backing, 'SELECT') THEN
    RAISE EXCEPTION 'the owner of %, %, may not read the promoted version: every reader would fail', p_target, v_owner USING ERRCODE = 'WAP11';
  END IF;
  IF NOT has_table_privilege(p_consumer, v_view, 'SELECT')
     OR NOT has_schema_privilege(p_consumer, (SELECT c.relnamespace FROM pg_class c WHERE c.oid = v_view), 'USAGE') THEN
    RAISE EXCEPTION 'the consumer role % may not read %', p_consumer, p_target USING ERRCODE = 'WAP11',
      HINT = format('GRANT USAGE ON SCHEMA %I TO %I; GRANT SELECT ON %s TO %I;',
        (SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = v_view), p_consumer, p_target, p_consumer);
  END IF;
  IF EXISTS (SELECT 1 FROM pg_class c, aclexplode(c.relacl) x
             WHERE c.oid = v_view AND x.grantee <> c.relowner AND x.privilege_type IN ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE')) THEN
    RAISE EXCEPTION 'somebody may write through %', p_target USING ERRCODE = 'WAP12';
  END IF;
END
$body$;

-- The guarded transaction of specification 7, steps 1 to 8, as one call: no client round trip lies inside it. The caller commits.
CREATE FUNCTION wap_admin.publish(p_run_id uuid) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  r wap_admin.runs%ROWTYPE;
  m wap_admin.manifests%ROWTYPE;
  v_first boolean;
  v_state text;
  v_previous_name text;
  v_show record;
  v_old text;
BEGIN
  PERFORM wap_admin.begin_promotion();
  PERFORM pg_advisory_xact_lock(hashtextextended((SELECT x.target_name FROM wap_admin.runs x WHERE x.run_id = p_run_id), 0));
  SELECT * INTO r FROM wap_admin.runs WHERE run_id = p_run_id FOR UPDATE;
  IF r.run_id IS NULL THEN
    RAISE EXCEPTION 'there is no run %', p_run_id USING ERRCODE = 'WAP02';
  ELSIF r.status IN ('published', 'failed', 'rolled_back') THEN
    RAISE EXCEPTION 'run % is % already', p_run_id, r.status USING ERRCODE = 'WAP04';
  ELSIF r.status <> 'approved' THEN
    RAISE EXCEPTION 'run % is %, not approved', p_run_id, r.status USING ERRCODE = 'WAP05';
  END IF;
  SELECT * INTO STRICT m FROM wap_admin.manifests WHERE run_id = p_run_id;
  v_first := r.target_oid IS NULL;
  IF EXISTS (SELECT 1 FROM wap_admin.transitions t WHERE t.run_id = p_run_id AND t.login = session_user) THEN
    RAISE EXCEPTION 'login % took part in building, auditing or approving run %', session_user, p_run_id USING ERRCODE = 'WAP01';
  END IF;

  -- The stage first: seconds of work that no reader feels.
  PERFORM wap_admin.lock_stage(r.stage_oid, r.stage_name);
  PERFORM wap_admin.assert_stage(p_run_id);
  PERFORM wap_admin.assert_bindings(p_run_id, 'publish');

  -- Then the target: looked at, frozen against every change that a lock can stop, and looked at again.
  PERFORM wap_admin.assert_target(p_run_id);
  IF NOT v_first THEN
    PERFORM wap_admin.freeze_view(r.target_oid);
    PERFORM wap_admin.assert_target(p_run_id);
  END IF;
  PERFORM wap_admin.assert_gate(p_run_id, true);
  IF NOT v_first THEN
    v_previous_name := (SELECT p.backing_name FROM wap_admin.publications p WHERE p.target_name = r.target_name ORDER BY p.seq DESC LIMIT 1);
    IF NOT wap_admin.is_version_view(r.target_oid, to_regclass(v_previous_name)) THEN
      RAISE EXCEPTION 'target % is not the view that wap made over %', r.target_name, v_previous_name USING ERRCODE = 'WAP12';
    END IF;
    v_state := wap_admin.inventory_fingerprint(r.target_oid, ARRAY['definition']);
  END IF;
  FOR i IN 1..100 LOOP
    v_old := wap_admin.old_snapshots(p_run_id);
    EXIT WHEN v_old = '';
    IF i = 100 THEN
      RAISE EXCEPTION 'sessions hold snapshots older than the stage and would find it empty: %', v_old USING ERRCODE = '55P03';
    END IF;
    PERFORM pg_sleep(0.05);
  END LOOP;

  SELECT s.tries, s.started INTO v_show FROM wap_admin.show_version(r.target_name, r.stage_oid, v_first) s;
  IF v_first THEN
    EXECUTE format('ALTER VIEW %s OWNER TO wap_target', r.target_name);
    PERFORM wap_admin.revoke_all(to_regclass(r.target_name));
    EXECUTE format('GRANT SELECT ON %s TO %I, wap_builder, wap_auditor', r.target_name, m.consumer_role);
  END IF;
  PERFORM wap_admin.assert_shown(r.target_name, r.stage_oid, v_state, m.consumer_role);
  UPDATE wap_admin.runs SET status = 'published', published_at = clock_timestamp(), rollback_name = v_previous_name WHERE run_id = p_run_id;
  INSERT INTO wap_admin.publications (target_name, target_oid, kind, run_id, visible_run_id, backing_name, backing_oid, previous_run_id,
                                      previous_name, target_state, lock_held_ms, tries, published_by)
  VALUES (r.target_name, to_regclass(r.target_name), 'publish', p_run_id, p_run_id, r.stage_name, r.stage_oid, m.base_run_id, v_previous_name,
          wap_admin.inventory_fingerprint(to_regclass(r.target_name), ARRAY['definition', 'dependent']),
          round(extract(epoch FROM clock_timestamp() - v_show.started) * 1000, 3), v_show.tries, session_user);
  RETURN jsonb_build_object('target', r.target_name, 'backing', r.stage_name, 'previous', v_previous_name);
END
$body$;

-- Back to the version before, under the same discipline (specification: Handle failure and rollback).
CREATE FUNCTION wap_admin.roll_back(p_run_id uuid) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  r wap_admin.runs%ROWTYPE;
  v_restored wap_admin.runs%ROWTYPE;
  m wap_admin.manifests%ROWTYPE;
  v_last wap_admin.publications%ROWTYPE;
  v_state text;
  v_show record;
BEGIN
  PERFORM wap_admin.begin_promotion();
  PERFORM pg_advisory_xact_lock(hashtextextended((SELECT x.target_name FROM wap_admin.runs x WHERE x.run_id = p_run_id), 0));
  SELECT * INTO r FROM wap_admin.runs WHERE run_id = p_run_id FOR UPDATE;
  IF r.run_id IS NULL THEN
    RAISE EXCEPTION 'there is no run %', p_run_id USING ERRCODE = 'WAP02';
  ELSIF r.status = 'rolled_back' THEN
    RAISE EXCEPTION 'run % is rolled_back already', p_run_id USING ERRCODE = 'WAP04';
  ELSIF r.status <> 'published' THEN
    RAISE EXCEPTION 'run % is %: only a published run can be rolled back', p_run_id, r.status USING ERRCODE = 'WAP14';
  END IF;
  SELECT * INTO STRICT m FROM wap_admin.manifests WHERE run_id = p_run_id;
  SELECT * INTO v_last FROM wap_admin.publications p WHERE p.target_name = r.target_name ORDER BY p.seq DESC LIMIT 1;
  IF v_last.visible_run_id IS DISTINCT FROM p_run_id THEN
    RAISE EXCEPTION 'readers of % see run %, not run %', r.target_name, v_last.visible_run_id, p_run_id USING ERRCODE = 'WAP14';
  END IF;
  -- The version that this run replaced; a rolled-back one in between is passed over, since base_run_id is what readers saw then.
  IF m.base_run_id IS NULL THEN
    RAISE EXCEPTION 'run % was the first version of %', p_run_id, r.target_name USING ERRCODE = 'WAP13';
  END IF;
  SELECT * INTO STRICT v_restored FROM wap_admin.runs WHERE run_id = m.base_run_id;
  PERFORM wap_admin.assert_bindings(p_run_id, 'rollback');
  IF v_restored.status <> 'published' THEN
    RAISE EXCEPTION 'the version before, run %, is %', v_restored.run_id, v_restored.status USING ERRCODE = 'WAP13';
  END IF;
  IF EXISTS (SELECT 1 FROM wap_admin.approvals a WHERE a.run_id = p_run_id AND a.recorded_by = session_user) THEN
    RAISE EXCEPTION 'login % recorded the approval of run %', session_user, p_run_id USING ERRCODE = 'WAP01';
  END IF;

  PERFORM wap_admin.lock_stage(v_restored.stage_oid, v_restored.stage_name);
  PERFORM wap_admin.assert_stage(v_restored.run_id);

  IF wap_admin.find_relation(m.target_schema, m.target_relation) IS DISTINCT FROM v_last.target_oid THEN
    RAISE EXCEPTION 'target % is not the relation that was published', r.target_name USING ERRCODE = 'WAP07';
  END IF;
  PERFORM wap_admin.freeze_view(v_last.target_oid);
  IF NOT wap_admin.is_version_view(v_last.target_oid, v_last.backing_oid) THEN
    RAISE EXCEPTION 'target % no longer shows the version of run %', r.target_name, p_run_id USING ERRCODE = 'WAP07';
  END IF;
  IF wap_admin.inventory_fingerprint(v_last.target_oid, ARRAY['definition', 'dependent']) <> v_last.target_state THEN
    RAISE EXCEPTION 'target % changed since it was published', r.target_name USING ERRCODE = 'WAP07';
  END IF;
  v_state := wap_admin.inventory_fingerprint(v_last.target_oid, ARRAY['definition']);

  SELECT s.tries, s.started INTO v_show FROM wap_admin.show_version(r.target_name, v_restored.stage_oid, false) s;
  PERFORM wap_admin.assert_shown(r.target_name, v_restored.stage_oid, v_state, m.consumer_role);
  UPDATE wap_admin.runs SET status = 'rolled_back' WHERE run_id = p_run_id;
  INSERT INTO wap_admin.publications (target_name, target_oid, kind, run_id, visible_run_id, backing_name, backing_oid, previous_run_id,
                                      previous_name, target_state, lock_held_ms, tries, published_by)
  VALUES (r.target_name, v_last.target_oid, 'rollback', p_run_id, v_restored.run_id, v_restored.stage_name, v_restored.stage_oid, p_run_id,
          r.stage_name, v_last.target_state, round(extract(epoch FROM clock_timestamp() - v_show.started) * 1000, 3), v_show.tries, session_user);
  RETURN jsonb_build_object('target', r.target_name, 'backing', v_restored.stage_name, 'previous', r.stage_name);
END
$body$;

CREATE FUNCTION wap_admin.record_verification(p_run_id uuid, p_checks jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
  PERFORM wap_admin.require_duty('wap_publisher');
  IF NOT EXISTS (SELECT 1 FROM wap_admin.publications p WHERE p.run_id = p_run_id) THEN
    RAISE EXCEPTION 'run % was never published', p_run_id USING ERRCODE = 'WAP04';
  END IF;
  INSERT INTO wap_admin.verifications (run_id, checks, passed, verified_by)
  VALUES (p_run_id, p_checks, (SELECT coalesce(bool_and((c ->> 'passed')::boolean), false) FROM jsonb_array_elements(p_checks) c), session_user);
END
$body$;
