-- A setup login that is no superuser keeps no membership of the owners.
DO $release$
BEGIN
  IF NOT (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) THEN
    EXECUTE format('REVOKE wap_owner FROM %I', current_user);
    EXECUTE format('REVOKE wap_vault FROM %I', current_user);
  END IF;
END
$release$;
