-- Who may call which door, and read what. Nobody writes a control table directly.
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA wap_admin FROM PUBLIC;
GRANT SELECT ON ALL TABLES IN SCHEMA wap_admin TO wap_builder, wap_auditor, wap_approver, wap_publisher;
GRANT EXECUTE ON FUNCTION
  wap_admin.start_run(jsonb, jsonb), wap_admin.open_raw(uuid, text[]), wap_admin.seal_raw(uuid, jsonb), wap_admin.open_stage(uuid),
  wap_admin.seal_stage(uuid) TO wap_builder;
GRANT EXECUTE ON FUNCTION wap_admin.record_readings(uuid, jsonb, jsonb, jsonb), wap_admin.finish_audit(uuid) TO wap_auditor;
GRANT EXECUTE ON FUNCTION wap_admin.approve(uuid, text, text, text, jsonb, jsonb) TO wap_approver;
GRANT EXECUTE ON FUNCTION wap_admin.publish(uuid), wap_admin.roll_back(uuid), wap_admin.record_verification(uuid, jsonb) TO wap_publisher;
GRANT EXECUTE ON FUNCTION wap_admin.fail_run(uuid, text, text) TO wap_builder, wap_auditor, wap_publisher;
-- Read-only questions that preflight, plan, verify and show ask as the caller.
GRANT EXECUTE ON FUNCTION
  wap_admin.find_relation(text, text), wap_admin.qualified_name(oid), wap_admin.inventory(oid), wap_admin.dependents(oid),
  wap_admin.inventory_fingerprint(oid, text[]), wap_admin.target_fingerprint(text, text), wap_admin.current_run(text),
  wap_admin.is_version_view(oid, oid), wap_admin.bindings(uuid), wap_admin.assert_gate(uuid, boolean), wap_admin.blockers(oid, interval)
  TO wap_builder, wap_auditor, wap_approver, wap_publisher;
-- The seal's trigger function runs for whoever tries to write.
GRANT EXECUTE ON FUNCTION wap_admin.refuse_change() TO PUBLIC;
