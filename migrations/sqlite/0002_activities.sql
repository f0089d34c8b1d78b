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
    PRIMARY KEY (run_id, handle),
    CHECK ((worker_id IS NULL) = (epoch IS NULL)),
    CHECK (worker_id IS NULL OR due_at IS NULL),
    CHECK (end_by IS NULL OR due_at IS NULL)
) STRICT, WITHOUT ROWID;

CREATE INDEX piton_activities_due ON piton_activities (queue, due_at, run_id, handle)
    WHERE due_at IS NOT NULL;
CREATE INDEX piton_activities_held ON piton_activities (worker_id) WHERE worker_id IS NOT NULL;
CREATE INDEX piton_activities_expiring ON piton_activities (expires_at)
    WHERE expires_at IS NOT NULL;
