-- Control tables. runs, expected_audits and audit_log are fixed by the specification (2); the others stand beside them.
CREATE TABLE wap_admin.runs (
  run_id                   uuid PRIMARY KEY,
  engine                   text NOT NULL,
  source_ref               text NOT NULL,
  source_fingerprint       text NOT NULL,
  target_name              text NOT NULL,
  target_oid               oid,
  stage_name               text NOT NULL,
  stage_oid                oid,
  contract_hash            text NOT NULL,
  transform_hash           text NOT NULL,
  preflight_fingerprint    text NOT NULL,
  stage_row_count          bigint,
  stage_fingerprint        text,
  stage_schema_fingerprint text,
  status                   text NOT NULL CHECK (status IN
                             ('building', 'built', 'audited', 'approved', 'published', 'failed', 'rolled_back')),
  created_at               timestamptz NOT NULL DEFAULT clock_timestamp(),
  audited_at               timestamptz,
  approved_by              text,
  approval_ref             text,
  approved_at              timestamptz,
  published_at             timestamptz,
  rollback_name            text
);

CREATE TABLE wap_admin.expected_audits (
  run_id         uuid NOT NULL REFERENCES wap_admin.runs (run_id),
  audit_name     text NOT NULL,
  audit_category text NOT NULL CHECK (audit_category IN
                   ('volume', 'grain', 'conservation', 'bounds', 'reconciliation', 'freshness', 'known_quirks')),
  expectation    text NOT NULL,
  PRIMARY KEY (run_id, audit_name)
);

CREATE TABLE wap_admin.audit_log (
  run_id     uuid NOT NULL,
  audit_name text NOT NULL,
  passed     boolean NOT NULL,
  observed   jsonb NOT NULL,
  ran_at     timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (run_id, audit_name),
  FOREIGN KEY (run_id, audit_name) REFERENCES wap_admin.expected_audits (run_id, audit_name)
);

-- The immutable manifest: everything known when the run starts.
CREATE TABLE wap_admin.manifests (
  run_id              uuid PRIMARY KEY REFERENCES wap_admin.runs (run_id),
  target_schema       text NOT NULL,
  target_relation     text NOT NULL,
  raw_relation        text NOT NULL,
  rejects_relation    text NOT NULL,
  excluded_relation   text NOT NULL,
  stage_relation      text NOT NULL,
  contract_id         text NOT NULL,
  contract_path       text NOT NULL,
  contract            text NOT NULL,
  transform_sql       text NOT NULL,
  excluded_rows_sql   text,
  consumer_role       text NOT NULL,
  provenance          jsonb NOT NULL,
  preflight           jsonb NOT NULL,
  plan                jsonb NOT NULL,
  control_fingerprint text NOT NULL,
  base_run_id         uuid REFERENCES wap_admin.runs (run_id),
  built_by            text NOT NULL
);
CREATE INDEX manifests_by_contract ON wap_admin.manifests (contract_id, run_id);
CREATE INDEX manifests_by_pull_request ON wap_admin.manifests ((provenance ->> 'repository'), (provenance ->> 'pullRequest'));

-- One landed delivery (specification 3).
CREATE TABLE wap_admin.landings (
  run_id       uuid PRIMARY KEY REFERENCES wap_admin.runs (run_id),
  raw_oid      oid NOT NULL,
  rejects_oid  oid NOT NULL,
  landing      jsonb NOT NULL,
  parsed       bigint NOT NULL CHECK (parsed >= 0),
  landed       bigint NOT NULL CHECK (landed >= 0),
  rejected     bigint NOT NULL CHECK (rejected >= 0),
  landed_at    timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Relations that a run has created, as soon as it has created them.
CREATE TABLE wap_admin.relations (
  run_id      uuid NOT NULL REFERENCES wap_admin.runs (run_id),
  purpose     text NOT NULL CHECK (purpose IN ('raw', 'rejects', 'excluded', 'stage')),
  relation_id oid NOT NULL,
  created_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (run_id, purpose)
);

-- When the stage was sealed; readers with a snapshot older than this would see an empty version.
CREATE TABLE wap_admin.seals (
  run_id     uuid PRIMARY KEY REFERENCES wap_admin.runs (run_id),
  sealed_xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
  sealed_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  sealed_by  text NOT NULL
);

-- Records that the transform left out, counted by the database when the stage was sealed.
CREATE TABLE wap_admin.exclusions (
  run_id uuid NOT NULL REFERENCES wap_admin.runs (run_id),
  reason text NOT NULL,
  rows   bigint NOT NULL CHECK (rows > 0),
  PRIMARY KEY (run_id, reason)
);

-- Advisory readings: kept and shown, never part of the gate.
CREATE TABLE wap_admin.advisories (
  run_id         uuid NOT NULL REFERENCES wap_admin.runs (run_id),
  audit_name     text NOT NULL,
  audit_category text NOT NULL,
  expectation    text NOT NULL,
  passed         boolean NOT NULL,
  observed       jsonb NOT NULL,
  ran_at         timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (run_id, audit_name)
);

-- Candidate against published, as measured at audit time.
CREATE TABLE wap_admin.changes (
  run_id  uuid PRIMARY KEY REFERENCES wap_admin.runs (run_id),
  changes jsonb NOT NULL
);

-- Why a run failed: one reason code and one sentence.
CREATE TABLE wap_admin.failures (
  run_id  uuid PRIMARY KEY REFERENCES wap_admin.runs (run_id),
  code    text NOT NULL,
  message text NOT NULL
);

-- Who approved what, on the ground of which hashes and facts.
CREATE TABLE wap_admin.approvals (
  run_id       uuid NOT NULL REFERENCES wap_admin.runs (run_id),
  kind         text NOT NULL CHECK (kind IN ('publish', 'rollback')),
  approved_by  text NOT NULL CHECK (btrim(approved_by) <> ''),
  approval_ref text NOT NULL CHECK (btrim(approval_ref) <> ''),
  bound        jsonb NOT NULL,
  facts        jsonb NOT NULL,
  recorded_by  text NOT NULL,
  approved_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (run_id, kind)
);

-- Every change of what readers see, in order; the newest row of a target is its current version.
CREATE TABLE wap_admin.publications (
  seq               bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  target_name       text NOT NULL,
  target_oid        oid NOT NULL,
  kind              text NOT NULL CHECK (kind IN ('publish', 'rollback')),
  run_id            uuid NOT NULL REFERENCES wap_admin.runs (run_id),
  visible_run_id    uuid NOT NULL REFERENCES wap_admin.runs (run_id),
  backing_name      text NOT NULL,
  backing_oid       oid NOT NULL,
  previous_run_id   uuid REFERENCES wap_admin.runs (run_id),
  previous_name     text,
  target_state      text NOT NULL,
  lock_held_ms      numeric NOT NULL,
  tries             integer NOT NULL,
  published_by      text NOT NULL,
  at                timestamptz NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (run_id, kind)
);
CREATE INDEX publications_by_target ON wap_admin.publications (target_name, seq DESC);

-- What was verified after commit, under the consumer role (specification 8).
CREATE TABLE wap_admin.verifications (
  seq         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_id      uuid NOT NULL REFERENCES wap_admin.runs (run_id),
  checks      jsonb NOT NULL,
  passed      boolean NOT NULL,
  verified_by text NOT NULL,
  at          timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Every status a run ever had.
CREATE TABLE wap_admin.transitions (
  seq         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  run_id      uuid NOT NULL REFERENCES wap_admin.runs (run_id),
  from_status text,
  to_status   text NOT NULL,
  login       text NOT NULL,
  at          timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX transitions_by_run ON wap_admin.transitions (run_id, seq);
