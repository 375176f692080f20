-- Schemas: the control tables, the raw snapshots, the sealed stages. Nobody but the doors creates anything in them.
CREATE SCHEMA wap_admin;
CREATE SCHEMA wap_raw;
CREATE SCHEMA wap_stage;
-- The global form: the per-schema form cannot take away PUBLIC's built-in EXECUTE on new functions.
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
GRANT USAGE ON SCHEMA wap_admin TO wap_builder, wap_auditor, wap_approver, wap_publisher;
GRANT USAGE ON SCHEMA wap_raw, wap_stage TO wap_builder, wap_auditor;
GRANT USAGE, CREATE ON SCHEMA wap_raw, wap_stage TO wap_vault;
