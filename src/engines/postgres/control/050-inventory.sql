-- What is known of a relation, item by item, and the fingerprints taken of it (specification 1; design: postgres 2).
-- Names instead of OIDs, pinned settings, and exclude lists rather than allow lists: a column that a newer server adds to its
-- catalogs is part of the fingerprint by itself.
CREATE FUNCTION wap_admin.find_relation(p_schema text, p_name text) RETURNS oid
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $body$
  SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = p_schema AND c.relname = p_name
$body$;

CREATE FUNCTION wap_admin.qualified_name(p_relation oid) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $body$
  SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = p_relation
$body$;

CREATE FUNCTION wap_admin.inventory(p_relation oid) RETURNS TABLE (facet text, item text, def jsonb)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp
SET quote_all_identifiers = off
SET DateStyle = 'ISO, YMD'
SET IntervalStyle = 'postgres'
SET TimeZone = 'UTC'
SET extra_float_digits = 1
SET bytea_output = 'hex'
AS $body$
BEGIN
  RETURN QUERY
  SELECT 'relation', '', (to_jsonb(c) - ARRAY['oid', 'relname', 'relnamespace', 'reltype', 'reloftype', 'relowner', 'relam', 'relfilenode',
      'reltablespace', 'relpages', 'reltuples', 'relallvisible', 'relallfrozen', 'reltoastrelid', 'relhasindex', 'relchecks', 'relnatts',
      'relhasrules', 'relhastriggers', 'relhassubclass', 'relrewrite', 'relfrozenxid', 'relminmxid', 'relacl', 'relpartbound'])
    || jsonb_build_object(
      'name', wap_admin.qualified_name(c.oid), 'owner', pg_get_userbyid(c.relowner),
      'tablespace', (SELECT s.spcname FROM pg_tablespace s WHERE s.oid = c.reltablespace),
      'access_method', (SELECT a.amname FROM pg_am a WHERE a.oid = c.relam),
      'of_type', nullif(c.reloftype, 0)::regtype::text, 'partition_bound', pg_get_expr(c.relpartbound, c.oid),
      'partition_key', pg_get_partkeydef(c.oid),
      'toast_options', (SELECT to_jsonb(t.reloptions) FROM pg_class t WHERE t.oid = c.reltoastrelid))
  FROM pg_class c WHERE c.oid = p_relation;

  RETURN QUERY
  SELECT 'definition', '', to_jsonb(pg_get_viewdef(c.oid)) FROM pg_class c WHERE c.oid = p_relation AND c.relkind IN ('v', 'm');

  -- The position among the live columns, not attnum: gaps left by dropped columns mean nothing to readers.
  RETURN QUERY
  SELECT 'column', lpad(row_number() OVER (ORDER BY a.attnum)::text, 5, '0') || ' ' || a.attname::text,
    (to_jsonb(a) - ARRAY['attrelid', 'attname', 'atttypid', 'attcacheoff', 'atttypmod', 'attcollation', 'attacl', 'attnum', 'attstattarget',
      'atthasmissing', 'attmissingval'])
    || jsonb_build_object('type', format_type(a.atttypid, a.atttypmod), 'collation', nullif(a.attcollation, 0)::regcollation::text,
      'default', pg_get_expr(d.adbin, d.adrelid), 'statistics_target', nullif(a.attstattarget, -1))
  FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
  WHERE a.attrelid = p_relation AND a.attnum > 0 AND NOT a.attisdropped;

  RETURN QUERY
  SELECT 'constraint', k.contype::text || ' ' || k.conname::text, jsonb_build_object('def', pg_get_constraintdef(k.oid),
    'validated', k.convalidated, 'no_inherit', k.connoinherit, 'enforced', to_jsonb(k) -> 'conenforced')
  FROM pg_constraint k WHERE k.conrelid = p_relation;
  RETURN QUERY
  SELECT 'inbound_foreign_key', k.conrelid::regclass::text || ' ' || k.conname::text, to_jsonb(pg_get_constraintdef(k.oid))
  FROM pg_constraint k WHERE k.confrelid = p_relation AND k.conrelid <> p_relation;
  RETURN QUERY
  SELECT 'index', ic.relname::text, (to_jsonb(i) - ARRAY['indexrelid', 'indrelid', 'indclass', 'indcollation', 'indexprs', 'indpred', 'indcheckxmin'])
    || jsonb_build_object('def', pg_get_indexdef(ic.oid), 'options', to_jsonb(ic.reloptions))
  FROM pg_index i JOIN pg_class ic ON ic.oid = i.indexrelid WHERE i.indrelid = p_relation;
  RETURN QUERY
  SELECT 'trigger', t.tgname::text, jsonb_build_object('def', pg_get_triggerdef(t.oid), 'enabled', t.tgenabled,
    'function', encode(sha256(convert_to(p.prosrc, 'UTF8')), 'hex'))
  FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid WHERE t.tgrelid = p_relation AND NOT t.tgisinternal;
  RETURN QUERY
  SELECT 'rule', r.rulename::text, jsonb_build_object('def', pg_get_ruledef(r.oid), 'enabled', r.ev_enabled)
  FROM pg_rewrite r WHERE r.ev_class = p_relation AND r.rulename <> '_RETURN';
  RETURN QUERY
  SELECT 'policy', p.polname::text, jsonb_build_object('command', p.polcmd, 'permissive', p.polpermissive,
    'roles', (SELECT jsonb_agg(CASE WHEN x = 0 THEN 'public' ELSE pg_get_userbyid(x) END ORDER BY x) FROM unnest(p.polroles) x),
    'using', pg_get_expr(p.polqual, p.polrelid), 'check', pg_get_expr(p.polwithcheck, p.polrelid))
  FROM pg_policy p WHERE p.polrelid = p_relation;

  RETURN QUERY
  SELECT 'grant', CASE WHEN x.grantee = 0 THEN 'PUBLIC' ELSE pg_get_userbyid(x.grantee)::text END || ' ' || x.privilege_type
    || ' by ' || pg_get_userbyid(x.grantor)::text, to_jsonb(x.is_grantable)
  FROM pg_class c, aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) x WHERE c.oid = p_relation;
  RETURN QUERY
  SELECT 'column_grant', a.attname::text || ' ' || CASE WHEN x.grantee = 0 THEN 'PUBLIC' ELSE pg_get_userbyid(x.grantee)::text END
    || ' ' || x.privilege_type || ' by ' || pg_get_userbyid(x.grantor)::text, to_jsonb(x.is_grantable)
  FROM pg_attribute a, aclexplode(a.attacl) x WHERE a.attrelid = p_relation AND a.attnum > 0 AND NOT a.attisdropped;
  RETURN QUERY
  SELECT 'type_grant', CASE WHEN x.grantee = 0 THEN 'PUBLIC' ELSE pg_get_userbyid(x.grantee)::text END || ' ' || x.privilege_type, to_jsonb(x.is_grantable)
  FROM pg_type t, aclexplode(t.typacl) x WHERE t.typrelid = p_relation;
  RETURN QUERY
  SELECT 'comment', coalesce(i.type || ' ' || i.identity, ''), to_jsonb(d.description)
  FROM pg_description d, pg_identify_object(d.classoid, d.objoid, d.objsubid) i
  WHERE (d.classoid = 'pg_class'::regclass AND (d.objoid = p_relation OR d.objoid IN (SELECT x.indexrelid FROM pg_index x WHERE x.indrelid = p_relation)))
     OR (d.classoid = 'pg_constraint'::regclass AND d.objoid IN (SELECT x.oid FROM pg_constraint x WHERE x.conrelid = p_relation))
     OR (d.classoid = 'pg_trigger'::regclass AND d.objoid IN (SELECT x.oid FROM pg_trigger x WHERE x.tgrelid = p_relation))
     OR (d.classoid = 'pg_rewrite'::regclass AND d.objoid IN (SELECT x.oid FROM pg_rewrite x WHERE x.ev_class = p_relation))
     OR (d.classoid = 'pg_policy'::regclass AND d.objoid IN (SELECT x.oid FROM pg_policy x WHERE x.polrelid = p_relation))
     OR (d.classoid = 'pg_type'::regclass AND d.objoid IN (SELECT x.oid FROM pg_type x WHERE x.typrelid = p_relation));
  RETURN QUERY
  SELECT 'security_label', l.provider || ' ' || l.objsubid::text, to_jsonb(l.label)
  FROM pg_seclabel l WHERE l.classoid = 'pg_class'::regclass AND l.objoid = p_relation;
  RETURN QUERY
  SELECT 'statistics', s.stxname::text, to_jsonb(pg_get_statisticsobjdef(s.oid)) FROM pg_statistic_ext s WHERE s.stxrelid = p_relation;
  RETURN QUERY
  SELECT 'inheritance', CASE WHEN i.inhrelid = p_relation THEN 'parent ' || i.inhparent::regclass::text ELSE 'child ' || i.inhrelid::regclass::text END,
    to_jsonb(i.inhseqno)
  FROM pg_inherits i WHERE p_relation IN (i.inhrelid, i.inhparent);
  RETURN QUERY
  SELECT 'publication', p.pubname::text, to_jsonb('table'::text) FROM pg_publication_rel r JOIN pg_publication p ON p.oid = r.prpubid WHERE r.prrelid = p_relation;
  RETURN QUERY
  SELECT 'publication', p.pubname::text, to_jsonb('all tables'::text)
  FROM pg_publication p, pg_class c WHERE p.puballtables AND c.oid = p_relation AND c.relkind IN ('r', 'p');
  RETURN QUERY
  SELECT 'extension', e.extname::text, to_jsonb(d.deptype::text)
  FROM pg_depend d JOIN pg_extension e ON e.oid = d.refobjid
  WHERE d.classid = 'pg_class'::regclass AND d.objid = p_relation AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e';

  RETURN QUERY SELECT 'dependent', d.dependent, to_jsonb(d.depth) FROM wap_admin.dependents(p_relation) d;
END
$body$;

-- Everything that stops working, or works differently, when the relation is replaced: followed through rewrite rules and row types.
CREATE FUNCTION wap_admin.dependents(p_relation oid) RETURNS TABLE (dependent text, depth integer)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $body$
  WITH RECURSIVE walk (class_id, object_id, depth) AS (
    SELECT 'pg_class'::regclass::oid, p_relation, 0
    UNION
    SELECT 'pg_type'::regclass::oid, t.oid, 0 FROM pg_type t
    WHERE t.typrelid = p_relation OR t.typelem = (SELECT y.oid FROM pg_type y WHERE y.typrelid = p_relation)
    UNION
    SELECT x.class_id, x.object_id, w.depth + 1
    FROM walk w
    JOIN pg_depend d ON d.refclassid = w.class_id AND d.refobjid = w.object_id AND d.deptype IN ('n', 'a')
    CROSS JOIN LATERAL (
      SELECT CASE WHEN d.classid = 'pg_rewrite'::regclass THEN 'pg_class'::regclass::oid ELSE d.classid END AS class_id,
             CASE WHEN d.classid = 'pg_rewrite'::regclass THEN (SELECT r.ev_class FROM pg_rewrite r WHERE r.oid = d.objid) ELSE d.objid END AS object_id) x
    WHERE w.depth < 32 AND NOT (x.class_id = 'pg_class'::regclass AND x.object_id = p_relation)
  )
  SELECT i.type || ' ' || i.identity, min(w.depth)
  FROM walk w, pg_identify_object(w.class_id, w.object_id, 0) i
  WHERE w.depth > 0
    -- what a session keeps for itself ends with it and holds nobody up
    AND NOT starts_with(coalesce(i.schema, ''), 'pg_temp')
    -- parts of the relation itself stand in facets of their own
    AND NOT (w.class_id = 'pg_class'::regclass AND EXISTS (SELECT 1 FROM pg_class c WHERE c.oid = w.object_id AND c.relkind IN ('i', 'I', 'S', 't')))
    AND NOT (w.class_id = 'pg_constraint'::regclass AND EXISTS (SELECT 1 FROM pg_constraint k WHERE k.oid = w.object_id AND k.conrelid = p_relation))
    AND w.class_id NOT IN ('pg_trigger'::regclass, 'pg_attrdef'::regclass, 'pg_publication_rel'::regclass, 'pg_statistic_ext'::regclass)
    AND NOT (w.class_id = 'pg_policy'::regclass AND EXISTS (SELECT 1 FROM pg_policy p WHERE p.oid = w.object_id AND p.polrelid = p_relation))
  GROUP BY 1
$body$;

-- sha256 over the inventory without the named facets; 64 hexadecimal digits.
CREATE FUNCTION wap_admin.inventory_fingerprint(p_relation oid, p_without text[]) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $body$
  SELECT encode(sha256(convert_to(current_setting('server_version_num') || E'\n' || coalesce(string_agg(
    i.facet || E'\t' || i.item || E'\t' || coalesce(i.def::text, 'null'), E'\n'
    ORDER BY i.facet COLLATE "C", i.item COLLATE "C", i.def::text COLLATE "C"), ''), 'UTF8')), 'hex')
  FROM wap_admin.inventory(p_relation) i WHERE i.facet <> ALL (p_without)
$body$;

-- What the run's preflight_fingerprint is: the target's whole inventory, or that there is no such relation.
CREATE FUNCTION wap_admin.target_fingerprint(p_schema text, p_name text) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $body$
  SELECT CASE WHEN wap_admin.find_relation(p_schema, p_name) IS NULL
    THEN encode(sha256(convert_to(format(E'%s\nno relation %I.%I', current_setting('server_version_num'), p_schema, p_name), 'UTF8')), 'hex')
    ELSE wap_admin.inventory_fingerprint(wap_admin.find_relation(p_schema, p_name), '{}') END
$body$;

-- The shape of a stage: everything but what comes to depend on it later.
CREATE FUNCTION wap_admin.stage_schema_fingerprint(p_stage oid) RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $body$
  SELECT wap_admin.inventory_fingerprint(p_stage, ARRAY['dependent'])
$body$;

-- Row count and content: sha256 over the sorted sha256 of each row's binary form (design: postgres 4). No key needed, duplicates
-- count, free of session settings; t.* because a column may be named like the alias. Above 30 million rows the sorted list would
-- pass the 1 GB limit of a value, so it is cut into 256 buckets by first byte; the text names which form was used.
CREATE FUNCTION wap_admin.content_fingerprint(p_relation oid, OUT row_count bigint, OUT fingerprint text)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET row_security = off AS $body$
DECLARE
  v_name text := wap_admin.qualified_name(p_relation);
  v_digest text;
BEGIN
  IF current_setting('client_encoding') <> 'UTF8' THEN
    RAISE EXCEPTION 'client_encoding is %, it has to be UTF8', current_setting('client_encoding') USING ERRCODE = 'WAP06';
  END IF;
  EXECUTE 'SELECT count(*) FROM ' || v_name INTO row_count;
  IF row_count <= 30000000 THEN
    EXECUTE format('SELECT encode(sha256(coalesce(string_agg(h, ''''::bytea ORDER BY h), ''''::bytea)), ''hex'')
                    FROM (SELECT sha256(record_send(t.*)) AS h FROM %s AS t) AS hashed', v_name) INTO v_digest;
    fingerprint := 'sorted-sha256-recordsend-v1:1:' || v_digest;
  ELSE
    EXECUTE format('SELECT encode(sha256(string_agg(b, ''''::bytea ORDER BY k)), ''hex'')
                    FROM (SELECT get_byte(h, 0) AS k, sha256(string_agg(h, ''''::bytea ORDER BY h)) AS b
                          FROM (SELECT sha256(record_send(t.*)) AS h FROM %s AS t) AS hashed GROUP BY 1) AS bucketed', v_name) INTO v_digest;
    fingerprint := 'sorted-sha256-recordsend-v1:256:' || v_digest;
  END IF;
END
$body$;

-- True where the relation is exactly the view that wap generates over that version: its columns in order and nothing else
-- (trap 094: a view with a predicate of its own is never replaced). Both ways in which servers print column references.
CREATE FUNCTION wap_admin.is_version_view(p_view oid, p_backing oid) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $body$
DECLARE
  v_relation text := wap_admin.qualified_name(p_backing);
  v_alias text := (SELECT quote_ident(c.relname::text) FROM pg_class c WHERE c.oid = p_backing);
  v_definition text;
BEGIN
  SELECT pg_get_viewdef(c.oid) INTO v_definition FROM pg_class c WHERE c.oid = p_view AND c.relkind = 'v';
  IF v_definition IS NULL OR v_relation IS NULL THEN
    RETURN false;
  END IF;
  RETURN (SELECT v_definition IN (
      ' SELECT ' || string_agg(quote_ident(a.attname::text), E',\n    ' ORDER BY a.attnum) || E'\n   FROM ' || v_relation || ';',
      ' SELECT ' || string_agg(v_alias || '.' || quote_ident(a.attname::text), E',\n    ' ORDER BY a.attnum) || E'\n   FROM ' || v_relation || ';')
    FROM pg_attribute a WHERE a.attrelid = p_backing AND a.attnum > 0 AND NOT a.attisdropped);
END
$body$;
