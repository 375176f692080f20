-- The executable gate (specification 6): refusals by exception, never by a displayed result.
CREATE FUNCTION wap_admin.assert_gate(p_run_id uuid, p_require_approval boolean) RETURNS void
LANGUAGE plpgsql
SECURITY INVOKER
SET search_path = pg_catalog, wap_admin, pg_temp
AS $body$
DECLARE
  r wap_admin.runs%ROWTYPE;
  v_found boolean;
  v_missing_audits text;
  v_missing_categories text;
  v_failed text;
BEGIN
  SELECT * INTO STRICT r FROM wap_admin.runs WHERE run_id = p_run_id;

  IF p_require_approval IS NULL THEN
    RAISE EXCEPTION 'WAP run %: say whether approval is required', p_run_id;
  END IF;
  IF r.status NOT IN ('audited', 'approved') THEN
    RAISE EXCEPTION 'WAP run % is not gated: status=%', p_run_id, r.status;
  END IF;
  IF p_require_approval AND (r.status <> 'approved' OR r.approved_at IS NULL OR r.approved_by IS NULL OR r.approval_ref IS NULL) THEN
    RAISE EXCEPTION 'WAP run % lacks recorded publish approval', p_run_id;
  END IF;

  SELECT EXISTS (
    SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.oid = r.stage_oid AND format('%I.%I', n.nspname, c.relname) = r.stage_name
  ) INTO v_found;
  IF NOT v_found THEN
    RAISE EXCEPTION 'WAP stage identity changed for run %', p_run_id;
  END IF;

  IF r.target_oid IS NOT NULL THEN
    SELECT EXISTS (
      SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.oid = r.target_oid AND format('%I.%I', n.nspname, c.relname) = r.target_name
    ) INTO v_found;
    IF NOT v_found THEN
      RAISE EXCEPTION 'WAP target identity changed for run %', p_run_id;
    END IF;
  END IF;

  SELECT string_agg(e.audit_name, ', ' ORDER BY e.audit_name) INTO v_missing_audits
  FROM wap_admin.expected_audits e
  LEFT JOIN wap_admin.audit_log a ON a.run_id = e.run_id AND a.audit_name = e.audit_name
  WHERE e.run_id = p_run_id AND a.run_id IS NULL;

  SELECT string_agg(a.audit_name, ', ' ORDER BY a.audit_name) INTO v_failed
  FROM wap_admin.audit_log a
  WHERE a.run_id = p_run_id AND a.passed IS NOT TRUE;

  SELECT string_agg(required.category, ', ' ORDER BY required.category) INTO v_missing_categories
  FROM (VALUES ('volume'), ('grain'), ('conservation'), ('bounds'), ('reconciliation'), ('freshness'), ('known_quirks')) AS required (category)
  WHERE NOT EXISTS (
    SELECT 1 FROM wap_admin.expected_audits e WHERE e.run_id = p_run_id AND e.audit_category = required.category
  );

  IF v_missing_audits IS NOT NULL OR v_missing_categories IS NOT NULL OR v_failed IS NOT NULL THEN
    RAISE EXCEPTION 'WAP gate rejected run %; missing_audits=[%], missing_categories=[%], failed=[%]',
      p_run_id, coalesce(v_missing_audits, ''), coalesce(v_missing_categories, ''), coalesce(v_failed, '');
  END IF;
  IF NOT EXISTS (SELECT 1 FROM wap_admin.expected_audits e WHERE e.run_id = p_run_id) THEN
    RAISE EXCEPTION 'WAP run % declares no audits', p_run_id;
  END IF;
END
$body$;

-- The stage is sealed: owned by the vault, plain and permanent, no way in, and the trigger that refuses every write stands.
CREATE FUNCTION wap_admin.assert_sealed(p_stage oid) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  v_fault text;
BEGIN
  SELECT CASE
    WHEN c.oid IS NULL THEN 'it does not exist'
    WHEN c.relkind <> 'r' OR c.relpersistence <> 'p' THEN 'it is not a plain permanent table'
    WHEN pg_get_userbyid(c.relowner) <> 'wap_vault' THEN 'its owner is ' || pg_get_userbyid(c.relowner)
    WHEN c.relrowsecurity OR EXISTS (SELECT 1 FROM pg_policy p WHERE p.polrelid = c.oid) THEN 'it has row security'
    WHEN EXISTS (SELECT 1 FROM pg_inherits i WHERE c.oid IN (i.inhrelid, i.inhparent)) THEN 'it takes part in inheritance'
    WHEN EXISTS (SELECT 1 FROM pg_rewrite w WHERE w.ev_class = c.oid) THEN 'it has a rule'
    WHEN EXISTS (SELECT 1 FROM aclexplode(c.relacl) x WHERE x.grantee <> c.relowner AND x.privilege_type <> 'SELECT')
      THEN 'somebody besides its owner may do more than read it'
    WHEN EXISTS (SELECT 1 FROM pg_attribute a, aclexplode(a.attacl) x WHERE a.attrelid = c.oid AND x.privilege_type <> 'SELECT')
      THEN 'somebody may write a column of it'
    WHEN (SELECT count(*) FROM pg_trigger t WHERE t.tgrelid = c.oid) <> 1 THEN 'its triggers are not those of a sealed stage'
    WHEN NOT EXISTS (SELECT 1 FROM pg_trigger t WHERE t.tgrelid = c.oid AND t.tgname = 'sealed' AND t.tgenabled = 'A'
      AND t.tgfoid = 'wap_admin.refuse_change()'::regprocedure AND t.tgtype = 62 AND t.tgqual IS NULL AND t.tgattr::text = '')
      THEN 'its seal is not in force'
  END INTO v_fault
  FROM (SELECT p_stage AS wanted) AS w LEFT JOIN pg_class c ON c.oid = w.wanted;
  IF v_fault IS NOT NULL THEN
    RAISE EXCEPTION 'stage is not sealed: %', v_fault USING ERRCODE = 'WAP06';
  END IF;
END
$body$;

-- SHARE on a sealed stage: nobody writes it until the transaction ends. What the name means now is looked at before and after.
CREATE FUNCTION wap_admin.lock_stage(p_stage oid, p_name text) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
  FOR i IN 1..2 LOOP
    IF wap_admin.qualified_name(p_stage) IS DISTINCT FROM p_name OR to_regclass(p_name)::oid IS DISTINCT FROM p_stage THEN
      RAISE EXCEPTION 'stage % is not the relation that was audited', p_name USING ERRCODE = 'WAP06';
    END IF;
    PERFORM wap_admin.assert_sealed(p_stage);
    EXECUTE format('LOCK TABLE %s IN SHARE MODE', p_name);
  END LOOP;
END
$body$;

-- The companion checks of the gate (specification 6): what is live now equals what was audited, byte for byte.
-- The caller holds SHARE on the sealed stage (lock_stage). The target is compared later, under its own lock (assert_target).
CREATE FUNCTION wap_admin.assert_stage(p_run_id uuid) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  r wap_admin.runs%ROWTYPE;
  v_schema text;
  v_rows bigint;
  v_content text;
BEGIN
  SELECT * INTO STRICT r FROM wap_admin.runs WHERE run_id = p_run_id;
  v_schema := wap_admin.stage_schema_fingerprint(r.stage_oid);
  IF v_schema IS DISTINCT FROM r.stage_schema_fingerprint THEN
    RAISE EXCEPTION 'stage schema changed after the audit: audited %, now %', r.stage_schema_fingerprint, v_schema USING ERRCODE = 'WAP06';
  END IF;
  SELECT f.row_count, f.fingerprint INTO v_rows, v_content FROM wap_admin.content_fingerprint(r.stage_oid) f;
  IF v_rows IS DISTINCT FROM r.stage_row_count THEN
    RAISE EXCEPTION 'stage row count changed after the audit: audited %, now %', r.stage_row_count, v_rows USING ERRCODE = 'WAP06';
  END IF;
  IF v_content IS DISTINCT FROM r.stage_fingerprint THEN
    RAISE EXCEPTION 'stage content changed after the audit: audited %, now %', r.stage_fingerprint, v_content USING ERRCODE = 'WAP06';
  END IF;
END
$body$;

-- Every hash of the manifest as text: what an approval binds. Null where the run has none yet.
CREATE FUNCTION wap_admin.bindings(p_run_id uuid) RETURNS jsonb
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $body$
  SELECT jsonb_build_object('source_fingerprint', r.source_fingerprint, 'contract_hash', r.contract_hash, 'transform_hash', r.transform_hash,
    'preflight_fingerprint', r.preflight_fingerprint, 'stage_schema_fingerprint', r.stage_schema_fingerprint,
    'stage_row_count', r.stage_row_count::text, 'stage_fingerprint', r.stage_fingerprint)
  FROM wap_admin.runs r WHERE r.run_id = p_run_id
$body$;

-- The approval binds exactly what the manifest holds, and the manifest still is what it says.
CREATE FUNCTION wap_admin.assert_bindings(p_run_id uuid, p_kind text) RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  v_bound jsonb;
  v_live jsonb := wap_admin.bindings(p_run_id);
  v_different text;
  m wap_admin.manifests%ROWTYPE;
BEGIN
  SELECT a.bound INTO v_bound FROM wap_admin.approvals a WHERE a.run_id = p_run_id AND a.kind = p_kind;
  IF v_bound IS NULL THEN
    RAISE EXCEPTION 'no % approval is recorded for run %', p_kind, p_run_id USING ERRCODE = 'WAP05';
  END IF;
  SELECT string_agg(l.key, ', ' ORDER BY l.key) INTO v_different
  FROM jsonb_each(v_live) l WHERE l.value = 'null'::jsonb OR v_bound -> l.key IS DISTINCT FROM l.value;
  IF v_different IS NOT NULL THEN
    RAISE EXCEPTION 'the approval of run % does not bind the present %', p_run_id, v_different USING ERRCODE = 'WAP09';
  END IF;
  SELECT * INTO STRICT m FROM wap_admin.manifests WHERE run_id = p_run_id;
  IF encode(sha256(convert_to(m.contract, 'UTF8')), 'hex') IS DISTINCT FROM v_live ->> 'contract_hash' THEN
    RAISE EXCEPTION 'the recorded contract of run % does not hash to its contract_hash', p_run_id USING ERRCODE = 'WAP09';
  END IF;
END
$body$;

-- The target is as preflight found it. The caller holds a lock on it that stops other changes.
CREATE FUNCTION wap_admin.assert_target(p_run_id uuid) RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  r wap_admin.runs%ROWTYPE;
  m wap_admin.manifests%ROWTYPE;
  v_current uuid;
BEGIN
  SELECT * INTO STRICT r FROM wap_admin.runs WHERE run_id = p_run_id;
  SELECT * INTO STRICT m FROM wap_admin.manifests WHERE run_id = p_run_id;
  v_current := wap_admin.current_run(r.target_name);
  IF v_current IS DISTINCT FROM m.base_run_id THEN
    RAISE EXCEPTION 'run % was built while readers saw %; they see % now', p_run_id,
      coalesce('run ' || m.base_run_id::text, 'no version'), coalesce('run ' || v_current::text, 'no version') USING ERRCODE = 'WAP08';
  END IF;
  IF wap_admin.find_relation(m.target_schema, m.target_relation) IS DISTINCT FROM r.target_oid THEN
    RAISE EXCEPTION 'target % is not the relation that preflight saw', r.target_name USING ERRCODE = 'WAP07';
  END IF;
  IF wap_admin.target_fingerprint(m.target_schema, m.target_relation) IS DISTINCT FROM r.preflight_fingerprint THEN
    RAISE EXCEPTION 'target % or what depends on it changed since preflight', r.target_name USING ERRCODE = 'WAP07';
  END IF;
END
$body$;

-- The run whose version readers of a target see; null where wap has published none.
CREATE FUNCTION wap_admin.current_run(p_target_name text) RETURNS uuid
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $body$
  SELECT p.visible_run_id FROM wap_admin.publications p WHERE p.target_name = p_target_name ORDER BY p.seq DESC LIMIT 1
$body$;
