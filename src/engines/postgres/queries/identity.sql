-- Who and what we are connected to (specification, safety rule 1).
SELECT current_database() AS database, current_setting('server_version') AS version, current_setting('server_version_num')::int AS version_number,
  session_user::text AS login, coalesce(host(inet_server_addr()), 'local socket') || coalesce(':' || inet_server_port()::text, '') AS address,
  pg_is_in_recovery() AS standby, current_setting('transaction_read_only') = 'on' AS read_only,
  coalesce((SELECT s.ssl FROM pg_stat_ssl s WHERE s.pid = pg_backend_pid()), false) AS tls,
  CASE WHEN has_function_privilege('pg_control_system()', 'EXECUTE') THEN (SELECT system_identifier::text FROM pg_control_system()) END AS system_identifier
