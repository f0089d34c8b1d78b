-- Times are microseconds since 1970, UTC. Run ids are the 16 bytes of a UUID.

-- Processes that may own runs. Ids are never used twice, so a lock named after one stays its own.
CREATE TABLE piton_workers (
    worker_id        INTEGER PRIMARY KEY AUTOINCREMENT,
    epoch            INTEGER NOT NULL CHECK (epoch > 0),
    host             TEXT NOT NULL,
    pid              INTEGER NOT NULL,
    lease_ms         INTEGER NOT NULL CHECK (lease_ms >= 0),
    lease_expires_at INTEGER NOT NULL,
    fenced_at        INTEGER
) STRICT;

-- What every step rewrites, and nothing more.
CREATE TABLE piton_runs (
    run_id      BLOB NOT NULL CHECK (length(run_id) = 16),
    workflow_id TEXT NOT NULL,
    workflow    TEXT NOT NULL,
    status      TEXT NOT NULL CHECK (
        status IN ('running', 'blocked', 'completed', 'failed', 'cancelled', 'terminated')
    ),
    step_no     INTEGER NOT NULL DEFAULT 0 CHECK (step_no >= 0),
    takeovers   INTEGER NOT NULL DEFAULT 0 CHECK (takeovers >= 0),
    inbox_count INTEGER NOT NULL DEFAULT 0 CHECK (inbox_count >= 0),
    worker_id   INTEGER,
    epoch       INTEGER,
    due_at      INTEGER,
    started_at  INTEGER NOT NULL,
    closed_at   INTEGER,
    blocked     TEXT,
    state       TEXT NOT NULL,
    snapshot    BLOB NOT NULL,
    CHECK ((worker_id IS NULL) = (epoch IS NULL)),
    CHECK (worker_id IS NULL OR (status = 'running' AND due_at IS NULL)),
    CHECK (due_at IS NULL OR status = 'running'),
    CHECK ((closed_at IS NULL) = (status IN ('running', 'blocked'))),
    CHECK ((blocked IS NOT NULL) = (status = 'blocked'))
) STRICT;

CREATE UNIQUE INDEX piton_runs_run_id ON piton_runs (run_id);
-- No two open runs share a workflow id.
CREATE UNIQUE INDEX piton_runs_open ON piton_runs (workflow_id) WHERE closed_at IS NULL;
-- The last run with a workflow id, open or closed.
CREATE INDEX piton_runs_workflow_id ON piton_runs (workflow_id, run_id);
-- Only a running run that nobody owns has a due time.
CREATE INDEX piton_runs_due ON piton_runs (workflow, due_at, run_id) WHERE due_at IS NOT NULL;
CREATE INDEX piton_runs_owned ON piton_runs (worker_id) WHERE worker_id IS NOT NULL;

CREATE TABLE piton_run_inputs (
    run_id    BLOB NOT NULL PRIMARY KEY REFERENCES piton_runs (run_id) ON DELETE CASCADE,
    arguments BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE piton_run_results (
    run_id  BLOB NOT NULL PRIMARY KEY REFERENCES piton_runs (run_id) ON DELETE CASCADE,
    result  BLOB,
    failure TEXT
) STRICT, WITHOUT ROWID;

-- What has arrived for a run and has not been used up.
CREATE TABLE piton_inbox (
    run_id  BLOB NOT NULL REFERENCES piton_runs (run_id) ON DELETE CASCADE,
    seq     INTEGER NOT NULL CHECK (seq > 0),
    arrival BLOB NOT NULL,
    PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;

-- The dedup keys of all arrivals ever accepted.
CREATE TABLE piton_arrival_keys (
    run_id    BLOB NOT NULL REFERENCES piton_runs (run_id) ON DELETE CASCADE,
    dedup_key TEXT NOT NULL,
    PRIMARY KEY (run_id, dedup_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE piton_definitions (
    workflow    TEXT NOT NULL,
    hash        INTEGER NOT NULL,
    description TEXT NOT NULL,
    PRIMARY KEY (workflow, hash)
) STRICT, WITHOUT ROWID;
