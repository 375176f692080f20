-- The door of the approver: one run, one identity, one durable reference, every hash that was shown (specification 7; safety A2).
CREATE FUNCTION wap_admin.approve(p_run_id uuid, p_kind text, p_by text, p_ref text, p_bound jsonb, p_facts jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
  r wap_admin.runs%ROWTYPE;
  v_different text;
  v_earlier wap_admin.approvals%ROWTYPE;
BEGIN
  PERFORM wap_admin.require_duty('wap_approver');
  SELECT * INTO r FROM wap_admin.runs WHERE run_id = p_run_id FOR UPDATE;
  IF r.run_id IS NULL THEN
    RAISE EXCEPTION 'there is no run %', p_run_id USING ERRCODE = 'WAP02';
  END IF;
  SELECT * INTO v_earlier FROM wap_admin.approvals a WHERE a.run_id = p_run_id AND a.kind = p_kind;
  IF v_earlier.run_id IS NOT NULL THEN
    -- A re-delivered event or a job that runs again finds its own approval; anything else finds that it is decided.
    IF (v_earlier.approved_by, v_earlier.approval_ref, v_earlier.bound) = (p_by, p_ref, p_bound) THEN
      RETURN;
    END IF;
    RAISE EXCEPTION 'run % was approved by % already (%)', p_run_id, v_earlier.approved_by, v_earlier.approval_ref USING ERRCODE = 'WAP04';
  END IF;
  IF p_kind = 'publish' AND r.status <> 'audited' THEN
    RAISE EXCEPTION 'run % is %: only an audited run can be approved', p_run_id, r.status USING ERRCODE = 'WAP15';
  ELSIF p_kind = 'rollback' AND r.status <> 'published' THEN
    RAISE EXCEPTION 'run % is %: only a published run can be rolled back', p_run_id, r.status USING ERRCODE = 'WAP14';
  ELSIF p_kind = 'rollback' AND wap_admin.current_run(r.target_name) IS DISTINCT FROM p_run_id THEN
    RAISE EXCEPTION 'readers of % see run %, not run %', r.target_name, wap_admin.current_run(r.target_name), p_run_id USING ERRCODE = 'WAP14';
  ELSIF p_kind = 'rollback' AND (SELECT m.base_run_id FROM wap_admin.manifests m WHERE m.run_id = p_run_id) IS NULL THEN
    RAISE EXCEPTION 'run % was the first version of %', p_run_id, r.target_name USING ERRCODE = 'WAP13';
  END IF;
  IF EXISTS (SELECT 1 FROM wap_admin.transitions t WHERE t.run_id = p_run_id AND t.to_status IN ('building', 'built', 'audited') AND t.login = session_user) THEN
    RAISE EXCEPTION 'login % built or audited run % and cannot approve it', session_user, p_run_id USING ERRCODE = 'WAP01';
  END IF;
  SELECT string_agg(l.key, ', ' ORDER BY l.key) INTO v_different
  FROM jsonb_each(wap_admin.bindings(p_run_id)) l WHERE l.value = 'null'::jsonb OR p_bound -> l.key IS DISTINCT FROM l.value;
  IF v_different IS NOT NULL THEN
    RAISE EXCEPTION 'the approval binds another % than run % has', v_different, p_run_id USING ERRCODE = 'WAP09';
  END IF;
  INSERT INTO wap_admin.approvals (run_id, kind, approved_by, approval_ref, bound, facts, recorded_by)
  VALUES (p_run_id, p_kind, p_by, p_ref, p_bound, p_facts, session_user);
  IF p_kind = 'publish' THEN
    PERFORM wap_admin.assert_gate(p_run_id, false);
    UPDATE wap_admin.runs SET status = 'approved', approved_by = p_by, approval_ref = p_ref, approved_at = clock_timestamp() WHERE run_id = p_run_id;
  END IF;
END
$body$;
