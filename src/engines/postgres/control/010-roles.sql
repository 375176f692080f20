-- Roles (design: postgres 6). Owners have no members; a login gets its duty by membership. Cluster-wide, so created only if missing.
DO $roles$
DECLARE
  v_role text;
BEGIN
  FOREACH v_role IN ARRAY ARRAY['wap_owner', 'wap_vault', 'wap_target', 'wap_builder', 'wap_auditor', 'wap_approver', 'wap_publisher'] LOOP
    IF NOT EXISTS (SELECT 1 FROM pg_catalog.pg_roles WHERE rolname = v_role) THEN
      EXECUTE format('CREATE ROLE %I NOLOGIN NOCREATEROLE NOCREATEDB', v_role);
    END IF;
  END LOOP;
  -- The doors act as the owner of sealed stages and of the targets.
  IF NOT pg_catalog.pg_has_role('wap_owner', 'wap_vault', 'MEMBER') THEN
    GRANT wap_vault TO wap_owner;
  END IF;
  IF NOT pg_catalog.pg_has_role('wap_owner', 'wap_target', 'MEMBER') THEN
    GRANT wap_target TO wap_owner;
  END IF;
  -- The setup session creates objects as wap_owner; a superuser may anyway, anyone else needs the membership for a moment.
  IF NOT (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN
    EXECUTE format('GRANT wap_owner TO %I', current_user);
    EXECUTE format('GRANT wap_vault TO %I', current_user);
  END IF;
  -- Without this the publisher cannot see how old other sessions' transactions are: said, not an error.
  BEGIN
    GRANT pg_read_all_stats TO wap_owner;
  EXCEPTION WHEN insufficient_privilege THEN
    RAISE NOTICE 'pg_read_all_stats could not be granted to wap_owner: a publish will not see how old other transactions are';
  END;
  EXECUTE format('GRANT CREATE ON DATABASE %I TO wap_owner', current_database());
END
$roles$;
