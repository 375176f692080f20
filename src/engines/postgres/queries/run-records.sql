-- Whole runs as the control tables tell them, newest first. $1 run id, $2 contract id, $3 target name, $4 status, $5 repository,
-- $6 pull request, $7 limit; null means any.
SELECT jsonb_build_object(
  'runId', r.run_id, 'status', r.status, 'createdAt', r.created_at, 'auditedAt', r.audited_at, 'publishedAt', r.published_at,
  'targetName', r.target_name, 'stageName', r.stage_name, 'sourceRef', r.source_ref, 'sourceFingerprint', r.source_fingerprint,
  'contractHash', r.contract_hash, 'transformHash', r.transform_hash, 'preflightFingerprint', r.preflight_fingerprint,
  'controlFingerprint', m.control_fingerprint, 'stageRowCount', r.stage_row_count::text, 'stageFingerprint', r.stage_fingerprint,
  'stageSchemaFingerprint', r.stage_schema_fingerprint, 'rollbackName', r.rollback_name, 'contract', m.contract, 'contractPath', m.contract_path,
  'provenance', m.provenance, 'preflight', m.preflight, 'plan', m.plan, 'builtBy', m.built_by, 'baseRun', m.base_run_id,
  'landing', (SELECT l.landing FROM wap_admin.landings l WHERE l.run_id = r.run_id),
  'readings', (
    SELECT coalesce(jsonb_agg(jsonb_build_object('name', a.audit_name, 'clause', a.clause, 'level', a.level, 'expectation', a.expectation,
        'passed', a.passed, 'observed', a.observed)
      ORDER BY array_position(ARRAY['volume', 'grain', 'conservation', 'bounds', 'reconciliation', 'freshness', 'known_quirks'], a.clause),
        a.audit_name), '[]')
    FROM (
      SELECT l.audit_name, e.audit_category AS clause, 'gate' AS level, e.expectation, l.passed, l.observed
      FROM wap_admin.audit_log l JOIN wap_admin.expected_audits e ON e.run_id = l.run_id AND e.audit_name = l.audit_name WHERE l.run_id = r.run_id
      UNION ALL
      SELECT v.audit_name, v.audit_category, 'advisory', v.expectation, v.passed, v.observed FROM wap_admin.advisories v WHERE v.run_id = r.run_id
    ) a),
  'expected', (SELECT coalesce(jsonb_agg(e.audit_name ORDER BY e.audit_name), '[]') FROM wap_admin.expected_audits e WHERE e.run_id = r.run_id),
  'excluded', (SELECT coalesce(jsonb_object_agg(x.reason, x.rows::text), '{}') FROM wap_admin.exclusions x WHERE x.run_id = r.run_id),
  'approvals', (
    SELECT coalesce(jsonb_agg(jsonb_build_object('kind', a.kind, 'by', a.approved_by, 'ref', a.approval_ref, 'at', a.approved_at,
      'login', a.recorded_by, 'bound', a.bound, 'facts', a.facts) ORDER BY a.approved_at), '[]')
    FROM wap_admin.approvals a WHERE a.run_id = r.run_id),
  'publications', (
    SELECT coalesce(jsonb_agg(jsonb_build_object('kind', p.kind, 'at', p.at, 'login', p.published_by, 'backing', p.backing_name,
      'previousBacking', p.previous_name, 'previousRun', p.previous_run_id, 'lockHeldMs', p.lock_held_ms, 'tries', p.tries) ORDER BY p.seq), '[]')
    FROM wap_admin.publications p WHERE p.run_id = r.run_id),
  'verification', (SELECT coalesce((SELECT v.checks FROM wap_admin.verifications v WHERE v.run_id = r.run_id ORDER BY v.seq DESC LIMIT 1), '[]')),
  'transitions', (
    SELECT coalesce(jsonb_agg(jsonb_build_object('from', t.from_status, 'to', t.to_status, 'at', t.at, 'login', t.login,
      'reason', CASE WHEN t.to_status = 'failed' THEN (SELECT f.code FROM wap_admin.failures f WHERE f.run_id = r.run_id) END,
      'detail', CASE WHEN t.to_status = 'failed' THEN (SELECT f.message FROM wap_admin.failures f WHERE f.run_id = r.run_id) END) ORDER BY t.seq), '[]')
    FROM wap_admin.transitions t WHERE t.run_id = r.run_id),
  'current', coalesce(wap_admin.current_run(r.target_name) = r.run_id, false),
  'changes', (SELECT c.changes FROM wap_admin.changes c WHERE c.run_id = r.run_id)
) AS record
FROM wap_admin.runs r JOIN wap_admin.manifests m ON m.run_id = r.run_id
WHERE ($1::uuid IS NULL OR r.run_id = $1) AND ($2::text IS NULL OR m.contract_id = $2) AND ($3::text IS NULL OR r.target_name = $3)
  AND ($4::text IS NULL OR r.status = $4) AND ($5::text IS NULL OR m.provenance ->> 'repository' = $5)
  AND ($6::text IS NULL OR m.provenance ->> 'pullRequest' = $6)
ORDER BY r.created_at DESC, r.run_id
LIMIT $7
