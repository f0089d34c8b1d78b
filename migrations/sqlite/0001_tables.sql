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

-- What every step rewrites, and what the run came to.
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
    blocked_at  INTEGER,
    state       TEXT NOT NULL,
    snapshot    BLOB NOT NULL,
    -- What the run came to.
    result      BLOB,
    failure     TEXT,
    CHECK ((worker_id IS NULL) = (epoch IS NULL)),
    CHECK (worker_id IS NULL OR (status = 'running' AND due_at IS NULL)),
    CHECK (due_at IS NULL OR status = 'running'),
    CHECK ((closed_at IS NULL) = (status IN ('running', 'blocked'))),
    CHECK ((blocked IS NOT NULL) = (status = 'blocked')),
    CHECK ((blocked_at IS NOT NULL) = (status = 'blocked'))
) STRICT;

CREATE UNIQUE INDEX piton_runs_run_id ON piton_runs (run_id);
-- No two open runs share a workflow id.
CREATE UNIQUE INDEX piton_runs_open ON piton_runs (workflow_id) WHERE closed_at IS NULL;
-- The last of the runs that are over; an open one is found by the index of those.
CREATE INDEX piton_runs_workflow_id ON piton_runs (workflow_id, started_at, run_id)
    WHERE closed_at IS NOT NULL;
-- Only a running run that nobody owns has a due time.
CREATE INDEX piton_runs_due ON piton_runs (workflow, due_at, run_id) WHERE due_at IS NOT NULL;
CREATE INDEX piton_runs_owned ON piton_runs (worker_id) WHERE worker_id IS NOT NULL;

-- Blocked runs, for people.
CREATE INDEX piton_runs_blocked ON piton_runs (run_id) WHERE status = 'blocked';
-- Workers look for blocked runs that they can go on with: those that lack something of the build, whose
-- reasons begin so. What has panicked waits for somebody who unblocks it, and may be any number.
CREATE INDEX piton_runs_adoptable ON piton_runs (run_id)
    WHERE status = 'blocked' AND substr(blocked, 1, 4) = '{"un';

-- What a run was started with, in a table of its own: in the run's row, arguments that are longer than a page
-- would be written again by every step.
CREATE TABLE piton_run_inputs (
    run_id    BLOB NOT NULL PRIMARY KEY REFERENCES piton_runs (run_id) ON DELETE CASCADE,
    arguments BLOB NOT NULL
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

-- What runs have sent to other workflows and nobody has delivered yet.
CREATE TABLE piton_outbox (
    -- The run that sent it, and its place among the messages of that run.
    run_id      BLOB NOT NULL CHECK (length(run_id) = 16),
    seq         INTEGER NOT NULL,
    -- Whom it is for.
    workflow_id TEXT NOT NULL,
    message     BLOB NOT NULL,
    sent_at     INTEGER NOT NULL,
    PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;

-- What has been there for long.
CREATE INDEX piton_outbox_sent ON piton_outbox (sent_at);

-- What could not be delivered, and what runs have set aside because they cannot read it. Ids are never used
-- twice.
CREATE TABLE piton_dead_letters (
    letter_id    INTEGER PRIMARY KEY AUTOINCREMENT,
    -- The run that has set it aside; null if it has reached none.
    run_id       BLOB CHECK (length(run_id) = 16),
    workflow_id  TEXT NOT NULL,
    arrival      BLOB NOT NULL,
    -- Which message it was, if it has come out of the outbox.
    sender_id    BLOB CHECK (length(sender_id) = 16),
    sender_seq   INTEGER,
    reason       TEXT NOT NULL,
    set_aside_at INTEGER NOT NULL,
    CHECK ((sender_id IS NULL) = (sender_seq IS NULL))
) STRICT;

CREATE INDEX piton_dead_letters_workflow_id ON piton_dead_letters (workflow_id, letter_id);

-- Activities on queues: a row from the commit that asks for one until its outcome is in the run's
-- inbox or the run no longer wants it. A row is in one of three states: it waits (`due_at` is set),
-- an attempt is being made by a worker (`worker_id` is set), or an attempt awaits the holder of its
-- token (neither is).
CREATE TABLE piton_activities (
    run_id        BLOB NOT NULL REFERENCES piton_runs (run_id) ON DELETE CASCADE,
    handle        INTEGER NOT NULL CHECK (handle >= 0),
    -- Attempts begun so far, and how many of them the death of their worker cut off.
    attempt       INTEGER NOT NULL DEFAULT 0 CHECK (attempt >= 0),
    interruptions INTEGER NOT NULL DEFAULT 0 CHECK (interruptions >= 0),
    worker_id     INTEGER,
    epoch         INTEGER,
    -- When the next attempt is due.
    due_at        INTEGER,
    -- The first of the limits below that is running.
    expires_at    INTEGER,
    -- When the attempt must have ended; when the last attempt must have ended.
    end_by        INTEGER,
    close_by      INTEGER,
    schedule_to_start_ms INTEGER CHECK (schedule_to_start_ms >= 0),
    start_to_close_ms    INTEGER CHECK (start_to_close_ms >= 0),
    heartbeat_ms         INTEGER CHECK (heartbeat_ms >= 0),
    queue         TEXT NOT NULL,
    activity      TEXT NOT NULL,
    call          BLOB NOT NULL,
    -- What the last heartbeat said.
    details       BLOB,
    -- The last attempt that failed and is followed by another, and what went wrong.
    failed_attempt INTEGER CHECK (failed_attempt >= 0),
    failure       TEXT,
    PRIMARY KEY (run_id, handle),
    CHECK ((failed_attempt IS NULL) = (failure IS NULL)),
    CHECK ((worker_id IS NULL) = (epoch IS NULL)),
    CHECK (worker_id IS NULL OR due_at IS NULL),
    CHECK (end_by IS NULL OR due_at IS NULL)
) STRICT, WITHOUT ROWID;

-- By activity too: a worker that has no room for one activity must not read its backlog to find the
-- others behind it.
CREATE INDEX piton_activities_due ON piton_activities (queue, activity, due_at, run_id, handle)
    WHERE due_at IS NOT NULL;
CREATE INDEX piton_activities_held ON piton_activities (worker_id) WHERE worker_id IS NOT NULL;
CREATE INDEX piton_activities_expiring ON piton_activities (expires_at)
    WHERE expires_at IS NOT NULL;

CREATE TABLE piton_definitions (
    workflow    TEXT NOT NULL,
    hash        INTEGER NOT NULL,
    description TEXT NOT NULL,
    PRIMARY KEY (workflow, hash)
) STRICT, WITHOUT ROWID;
