-- The promoted target as it is now, beside what the publication recorded. $1 run id.
SELECT p.kind, p.target_name, p.target_oid::text AS target_oid, p.backing_name, p.target_state, v.run_id::text AS visible_run, v.status AS visible_status,
  r.status AS run_status, v.stage_row_count::text AS stage_rows, v.stage_fingerprint,
  m.target_schema, m.target_relation, m.consumer_role, vm.contract,
  wap_admin.current_run(p.target_name)::text AS current_run,
  wap_admin.find_relation(m.target_schema, m.target_relation) IS NOT DISTINCT FROM p.target_oid AS same_relation,
  wap_admin.is_version_view(p.target_oid, p.backing_oid) AS shows_version,
  wap_admin.inventory_fingerprint(p.target_oid, ARRAY['definition', 'dependent']) = p.target_state AS same_state,
  p.previous_name,
  p.previous_name IS NULL
    OR EXISTS (SELECT 1 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE format('%I.%I', n.nspname, c.relname) = p.previous_name) AS previous_kept,
  coalesce((SELECT jsonb_agg(jsonb_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
       'collation', (SELECT k.collname FROM pg_collation k WHERE k.oid = a.attcollation)) ORDER BY a.attnum)
     FROM pg_attribute a WHERE a.attrelid = p.target_oid AND a.attnum > 0 AND NOT a.attisdropped), '[]') AS columns
FROM wap_admin.publications p
JOIN wap_admin.runs r ON r.run_id = p.run_id
JOIN wap_admin.manifests m ON m.run_id = p.run_id
JOIN wap_admin.runs v ON v.run_id = p.visible_run_id
JOIN wap_admin.manifests vm ON vm.run_id = p.visible_run_id
WHERE p.run_id = $1 ORDER BY p.seq DESC LIMIT 1
