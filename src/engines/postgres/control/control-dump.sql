-- Everything that the control schemas are, one property a row, in names and never in OIDs. Compared in full with what wap made
-- (specification 2: owner, kinds, columns, types, nullability, defaults, checks, keys, indexes, functions, grants, row security).
WITH ours AS (SELECT n.oid, n.nspname FROM pg_namespace n WHERE n.nspname IN ('wap_admin', 'wap_raw', 'wap_stage')),
relation AS (
  SELECT c.*, n.nspname FROM pg_class c JOIN ours n ON n.oid = c.relnamespace
  -- run-scoped relations come and go; what they are is the gate's business
  WHERE n.nspname = 'wap_admin'
)
SELECT format('schema %s owner', nspname) AS property,
  -- text from the first branch on: as `name` every value would be cut to 63 bytes
  pg_get_userbyid((SELECT x.nspowner FROM pg_namespace x WHERE x.oid = o.oid))::text AS value FROM ours o
UNION ALL
SELECT format('schema %s grant %s %s', n.nspname, CASE WHEN x.grantee = 0 THEN 'PUBLIC' ELSE pg_get_userbyid(x.grantee) END, x.privilege_type),
  pg_get_userbyid(x.grantor) || ' ' || x.is_grantable
FROM pg_namespace n JOIN ours o ON o.oid = n.oid, aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) x
UNION ALL
SELECT format('%s %s', CASE relkind WHEN 'r' THEN 'table' WHEN 'i' THEN 'index' WHEN 'S' THEN 'sequence' ELSE 'relation of kind ' || relkind::text END, relname),
  format('owner %s persistence %s row security %s/%s options %s access method %s', pg_get_userbyid(relowner), relpersistence, relrowsecurity,
    relforcerowsecurity, coalesce(reloptions::text, 'none'), coalesce((SELECT a.amname FROM pg_am a WHERE a.oid = relam), 'none'))
FROM relation
UNION ALL
SELECT format('table %s column %s %s', r.relname, lpad(a.attnum::text, 2, '0'), a.attname),
  format('%s not null %s default %s identity %s generated %s collation %s', format_type(a.atttypid, a.atttypmod), a.attnotnull,
    coalesce(pg_get_expr(d.adbin, d.adrelid), 'none'), a.attidentity, a.attgenerated, coalesce(nullif(a.attcollation, 0)::regcollation::text, 'none'))
FROM relation r JOIN pg_attribute a ON a.attrelid = r.oid LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
WHERE r.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
UNION ALL
-- PostgreSQL 18 lists NOT NULL among the constraints, earlier servers do not: the columns above tell it for all of them
SELECT format('table %s constraint %s', r.relname, k.conname), format('%s validated %s', pg_get_constraintdef(k.oid), k.convalidated)
FROM relation r JOIN pg_constraint k ON k.conrelid = r.oid WHERE k.contype <> 'n'
UNION ALL
SELECT format('index %s definition', ic.relname), format('%s valid %s', pg_get_indexdef(ic.oid), i.indisvalid)
FROM relation r JOIN pg_index i ON i.indrelid = r.oid JOIN pg_class ic ON ic.oid = i.indexrelid
UNION ALL
SELECT format('table %s trigger %s', r.relname, t.tgname), format('%s enabled %s', pg_get_triggerdef(t.oid), t.tgenabled)
FROM relation r JOIN pg_trigger t ON t.tgrelid = r.oid WHERE NOT t.tgisinternal
UNION ALL
SELECT format('table %s rule %s', r.relname, w.rulename), pg_get_ruledef(w.oid) FROM relation r JOIN pg_rewrite w ON w.ev_class = r.oid
UNION ALL
SELECT format('table %s policy %s', r.relname, p.polname), coalesce(pg_get_expr(p.polqual, p.polrelid), '') FROM relation r JOIN pg_policy p ON p.polrelid = r.oid
UNION ALL
SELECT format('table %s inheritance %s', r.relname, i.inhrelid::regclass), i.inhseqno::text FROM relation r JOIN pg_inherits i ON r.oid IN (i.inhrelid, i.inhparent)
UNION ALL
-- MAINTAIN came with PostgreSQL 17; the owner has it there by itself
SELECT format('%s grant %s %s', r.relname, CASE WHEN x.grantee = 0 THEN 'PUBLIC' ELSE pg_get_userbyid(x.grantee) END, x.privilege_type),
  pg_get_userbyid(x.grantor) || ' ' || x.is_grantable
FROM relation r, aclexplode(coalesce(r.relacl, acldefault(CASE r.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", r.relowner))) x
WHERE r.relkind IN ('r', 'S') AND NOT (x.privilege_type = 'MAINTAIN' AND x.grantee = r.relowner)
UNION ALL
SELECT format('table %s column %s grant', r.relname, a.attname), a.attacl::text
FROM relation r JOIN pg_attribute a ON a.attrelid = r.oid WHERE a.attacl IS NOT NULL
UNION ALL
SELECT format('function %s(%s)', p.proname, pg_get_function_identity_arguments(p.oid)),
  format('returns %s language %s kind %s owner %s definer %s volatility %s strict %s settings %s body %s', pg_get_function_result(p.oid),
    (SELECT l.lanname FROM pg_language l WHERE l.oid = p.prolang), p.prokind, pg_get_userbyid(p.proowner), p.prosecdef, p.provolatile, p.proisstrict,
    array_to_string(p.proconfig, ';'), encode(sha256(convert_to(p.prosrc, 'UTF8')), 'hex'))
FROM pg_proc p JOIN ours o ON o.oid = p.pronamespace
UNION ALL
SELECT format('function %s(%s) grant %s', p.proname, pg_get_function_identity_arguments(p.oid),
    CASE WHEN x.grantee = 0 THEN 'PUBLIC' ELSE pg_get_userbyid(x.grantee) END),
  x.privilege_type || ' ' || pg_get_userbyid(x.grantor) || ' ' || x.is_grantable
FROM pg_proc p JOIN ours o ON o.oid = p.pronamespace, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) x
UNION ALL
SELECT format('type %s', t.typname), t.typtype::text FROM pg_type t JOIN ours o ON o.oid = t.typnamespace
WHERE o.nspname = 'wap_admin' AND t.typrelid = 0 AND t.typelem = 0
UNION ALL
SELECT format('default privileges of %s in %s for %s', pg_get_userbyid(d.defaclrole), coalesce(n.nspname, 'every schema'), d.defaclobjtype), d.defaclacl::text
FROM pg_default_acl d LEFT JOIN pg_namespace n ON n.oid = d.defaclnamespace
WHERE pg_get_userbyid(d.defaclrole) IN ('wap_owner', 'wap_vault', 'wap_target') OR n.nspname IN ('wap_admin', 'wap_raw', 'wap_stage')
UNION ALL
SELECT format('role %s', r.rolname), format('login %s superuser %s createrole %s createdb %s replication %s bypassrls %s', r.rolcanlogin, r.rolsuper,
  r.rolcreaterole, r.rolcreatedb, r.rolreplication, r.rolbypassrls)
FROM pg_roles r WHERE r.rolname IN ('wap_owner', 'wap_vault', 'wap_target', 'wap_builder', 'wap_auditor', 'wap_approver', 'wap_publisher')
UNION ALL
SELECT format('member of %s', pg_get_userbyid(m.roleid)), pg_get_userbyid(m.member)
FROM pg_auth_members m
WHERE pg_get_userbyid(m.roleid) IN ('wap_owner', 'wap_vault', 'wap_target')
  -- PostgreSQL 16 and later give a role's creator a membership without SET or INHERIT
  AND (pg_get_userbyid(m.member) LIKE 'wap\_%' OR pg_has_role(m.member, m.roleid, 'USAGE'))
