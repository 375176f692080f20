-- Doors of the builder to the stage: create it as the contract declares it, and seal it.

-- The stage, with exactly the columns that the contract declares, and the list of excluded records (specification 4).
CREATE FUNCTION wap_admin.open_stage(p_run_id uuid) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  m wap_admin.manifests := wap_admin.own_building_run(p_run_id);
  v_column jsonb;
  v_columns text[] := '{}';
  v_stage oid;
  v_wrong text;
BEGIN
  FOR v_column IN SELECT c FROM jsonb_array_elements(m.contract::jsonb -> 'target_schema') c LOOP
    -- A type is plain words with at most one typmod, and the server's own parser has to know it: it is never statement text.
    -- It is one of a fixed list (domain/contract/column-type.ts): a type that somebody made runs its maker's functions as the
    -- vault, and one that names objects (regclass) is shown otherwise when they are renamed.
    IF v_column ->> 'type' !~ '^[a-z][a-z0-9_ ]*(\([0-9]+(, ?-?[0-9]+)?\))?[a-z ]*(\[\])*$' OR to_regtype(v_column ->> 'type') IS NULL
       OR NOT EXISTS (
         SELECT 1 FROM pg_type t JOIN pg_type e ON e.oid = CASE WHEN t.typcategory = 'A' THEN t.typelem ELSE t.oid END
         WHERE t.oid = to_regtype(v_column ->> 'type') AND e.typnamespace = 'pg_catalog'::regnamespace
           AND e.typname IN ('int2', 'int4', 'int8', 'numeric', 'float4', 'float8', 'text', 'varchar', 'bpchar', 'bool', 'date', 'timestamp',
                             'timestamptz', 'time', 'timetz', 'interval', 'uuid', 'json', 'jsonb', 'bytea')) THEN
      RAISE EXCEPTION 'column %: % is not a type that a target may have', v_column ->> 'name', v_column ->> 'type' USING ERRCODE = 'WAP17';
    END IF;
    IF v_column ->> 'collation' IS NOT NULL AND NOT EXISTS (
         SELECT 1 FROM pg_collation k WHERE k.collname = v_column ->> 'collation' AND k.collnamespace = 'pg_catalog'::regnamespace) THEN
      RAISE EXCEPTION 'column %: there is no collation %', v_column ->> 'name', v_column ->> 'collation' USING ERRCODE = 'WAP17';
    END IF;
    v_columns := v_columns || (format('%I ', v_column ->> 'name') || (v_column ->> 'type')
      || CASE WHEN v_column ->> 'collation' IS NULL THEN '' ELSE format(' COLLATE pg_catalog.%I', v_column ->> 'collation') END);
  END LOOP;
  v_stage := wap_admin.create_run_relation(p_run_id, 'stage', 'wap_stage', m.stage_relation, array_to_string(v_columns, ', '));
  SELECT string_agg(format('%s is %s, the contract says %s', a.attname, format_type(a.atttypid, a.atttypmod), c ->> 'type'), '; ') INTO v_wrong
  FROM jsonb_array_elements(m.contract::jsonb -> 'target_schema') WITH ORDINALITY AS t (c, n)
  JOIN pg_attribute a ON a.attrelid = v_stage AND a.attnum = t.n
  WHERE format_type(a.atttypid, a.atttypmod) <> c ->> 'type' OR a.attname <> c ->> 'name';
  IF v_wrong IS NOT NULL THEN
    RAISE EXCEPTION 'types have to be written as the server prints them: %', v_wrong USING ERRCODE = 'WAP17';
  END IF;
  PERFORM wap_admin.create_run_relation(p_run_id, 'excluded', 'wap_raw', m.excluded_relation, '_src_row bigint NOT NULL, reason text NOT NULL');
  UPDATE wap_admin.runs SET stage_oid = v_stage WHERE run_id = p_run_id;
END
$body$;

-- NOT NULL where declared (where the rows allow it: if not, schema_exact counts them), the declared indexes, statistics, and the seal.
CREATE FUNCTION wap_admin.seal_stage(p_run_id uuid) RETURNS jsonb
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  m wap_admin.manifests := wap_admin.own_building_run(p_run_id);
  v_stage oid := (SELECT r.stage_oid FROM wap_admin.runs r WHERE r.run_id = p_run_id);
  v_target oid := wap_admin.find_relation(m.target_schema, m.target_relation);
  v_name text := format('wap_stage.%I', m.stage_relation);
  v_not_null text;
  v_index jsonb;
  v_excluded oid := (SELECT l.relation_id FROM wap_admin.relations l WHERE l.run_id = p_run_id AND l.purpose = 'excluded');
  v_rows bigint;
BEGIN
  IF v_stage IS NULL THEN
    RAISE EXCEPTION 'run % has no stage', p_run_id USING ERRCODE = 'WAP04';
  END IF;
  IF NOT EXISTS (SELECT 1 FROM wap_admin.landings l WHERE l.run_id = p_run_id) THEN
    RAISE EXCEPTION 'run % has landed nothing: its raw rows are not sealed', p_run_id USING ERRCODE = 'WAP04';
  END IF;
  EXECUTE 'LOCK TABLE ' || v_name || ' IN ACCESS EXCLUSIVE MODE';
  SELECT string_agg(format('ALTER COLUMN %I SET NOT NULL', c ->> 'name'), ', ') INTO v_not_null
  FROM jsonb_array_elements(m.contract::jsonb -> 'target_schema') c WHERE c ->> 'nulls' = 'never';
  IF v_not_null IS NOT NULL THEN
    BEGIN
      EXECUTE 'ALTER TABLE ' || v_name || ' ' || v_not_null;
    EXCEPTION WHEN not_null_violation THEN
      NULL;
    END;
  END IF;
  FOR v_index IN SELECT i FROM jsonb_array_elements(coalesce(m.contract::jsonb -> 'promotion' -> 'indexes', '[]')) i LOOP
    EXECUTE format('CREATE %s INDEX ON %s USING %I (%s)', CASE WHEN (v_index ->> 'unique')::boolean THEN 'UNIQUE' ELSE '' END, v_name,
      coalesce(v_index ->> 'method', 'btree'),
      (SELECT string_agg(format('%I', k), ', ' ORDER BY n) FROM jsonb_array_elements_text(v_index -> 'columns') WITH ORDINALITY AS u (k, n)));
  END LOOP;
  EXECUTE 'ANALYZE ' || v_name;
  PERFORM wap_admin.seal_relation(v_stage, ARRAY['wap_auditor',
    coalesce((SELECT pg_get_userbyid(c.relowner)::text FROM pg_class c WHERE c.oid = v_target), 'wap_target')]);
  PERFORM wap_admin.seal_relation(v_excluded, ARRAY['wap_builder', 'wap_auditor']);
  EXECUTE format('INSERT INTO wap_admin.exclusions (run_id, reason, rows) SELECT $1, reason, count(*) FROM wap_raw.%I GROUP BY reason', m.excluded_relation)
    USING p_run_id;
  EXECUTE 'SELECT count(*) FROM ' || v_name INTO v_rows;
  INSERT INTO wap_admin.seals (run_id, sealed_by) VALUES (p_run_id, session_user);
  UPDATE wap_admin.runs SET status = 'built' WHERE run_id = p_run_id;
  RETURN jsonb_build_object('stageRows', v_rows::text, 'excluded',
    (SELECT coalesce(jsonb_object_agg(e.reason, e.rows::text), '{}') FROM wap_admin.exclusions e WHERE e.run_id = p_run_id));
END
$body$;
