-- What the choice of a promotion strategy needs to know of a target. $1 schema, $2 relation, $3 consumer role.
WITH target AS (SELECT wap_admin.find_relation($1, $2) AS oid),
relation AS (SELECT c.* FROM pg_class c JOIN target t ON t.oid = c.oid),
space AS (SELECT n.oid FROM pg_namespace n WHERE n.nspname = $1),
consumer AS (SELECT r.oid FROM pg_roles r WHERE r.rolname = $3)
SELECT
  EXISTS (SELECT 1 FROM space) AS schema_exists,
  coalesce((SELECT has_schema_privilege('wap_target', s.oid, 'CREATE') AND has_schema_privilege('wap_target', s.oid, 'USAGE') FROM space s), false) AS schema_open,
  EXISTS (SELECT 1 FROM consumer) AS consumer_exists,
  coalesce((SELECT pg_has_role('wap_publisher', c.oid, 'MEMBER') FROM consumer c), false) AS consumer_reachable,
  coalesce((SELECT has_schema_privilege(c.oid, s.oid, 'USAGE') FROM consumer c, space s), false) AS consumer_may_use_schema,
  to_jsonb(ARRAY(SELECT e.evtname::text FROM pg_event_trigger e WHERE e.evtenabled <> 'D' ORDER BY 1)) AS event_triggers,
  (SELECT r.oid::text FROM relation r) AS oid,
  (SELECT CASE r.relkind WHEN 'v' THEN 'view' WHEN 'r' THEN 'table' WHEN 'm' THEN 'materialized view' WHEN 'p' THEN 'partitioned table'
     WHEN 'f' THEN 'foreign table' WHEN 'S' THEN 'sequence' ELSE 'relation of kind ' || r.relkind::text END FROM relation r) AS kind,
  (SELECT pg_get_userbyid(r.relowner)::text FROM relation r) AS owner,
  (SELECT pg_has_role('wap_owner', r.relowner, 'USAGE') FROM relation r) AS owner_reachable,
  (SELECT p.backing_name FROM wap_admin.publications p JOIN target t ON t.oid = p.target_oid
     WHERE p.target_name = format('%I.%I', $1, $2)
     ORDER BY p.seq DESC LIMIT 1) AS last_version,
  coalesce((SELECT wap_admin.is_version_view(p.target_oid, p.backing_oid) FROM wap_admin.publications p JOIN target t ON t.oid = p.target_oid
     WHERE p.target_name = format('%I.%I', $1, $2) ORDER BY p.seq DESC LIMIT 1), false) AS shows_last_version,
  (SELECT wap_admin.current_run(format('%I.%I', $1, $2))::text) AS current_run,
  coalesce((SELECT jsonb_agg(jsonb_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
       'collation', (SELECT k.collname FROM pg_collation k WHERE k.oid = a.attcollation)) ORDER BY a.attnum)
     FROM pg_attribute a JOIN target t ON t.oid = a.attrelid WHERE a.attnum > 0 AND NOT a.attisdropped), '[]') AS columns,
  to_jsonb(coalesce((SELECT r.reloptions FROM relation r), '{}')) AS options,
  to_jsonb(ARRAY(SELECT w.rulename::text FROM pg_rewrite w JOIN target t ON t.oid = w.ev_class WHERE w.rulename <> '_RETURN' ORDER BY 1)) AS rules,
  to_jsonb(ARRAY(SELECT g.tgname::text FROM pg_trigger g JOIN target t ON t.oid = g.tgrelid WHERE NOT g.tgisinternal ORDER BY 1)) AS triggers,
  to_jsonb(ARRAY(SELECT DISTINCT CASE WHEN x.grantee = 0 THEN 'PUBLIC' ELSE pg_get_userbyid(x.grantee)::text END FROM relation r, aclexplode(r.relacl) x
     WHERE x.grantee <> r.relowner AND x.privilege_type IN ('INSERT', 'UPDATE', 'DELETE', 'TRUNCATE') ORDER BY 1)) AS writers,
  to_jsonb(ARRAY(SELECT d.dependent FROM target t, wap_admin.dependents(t.oid) d WHERE t.oid IS NOT NULL ORDER BY 1)) AS dependents,
  (SELECT count(*)::int FROM target t, wap_admin.inventory(t.oid) i WHERE t.oid IS NOT NULL) AS properties,
  wap_admin.target_fingerprint($1, $2) AS fingerprint,
  coalesce((SELECT has_table_privilege(t.oid, 'SELECT') AND has_schema_privilege(s.oid, 'USAGE') FROM target t, space s WHERE t.oid IS NOT NULL), false) AS readable
