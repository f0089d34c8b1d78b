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
        status IN (
            'running', 'blocked', 'completed', 'failed', 'cancelled', 'terminated', 'continued_as_new',
            'timed_out', 'paused'
        )
    ),
    step_no     INTEGER NOT NULL DEFAULT 0 CHECK (step_no >= 0),
    takeovers   INTEGER NOT NULL DEFAULT 0 CHECK (takeovers >= 0),
    inbox_count INTEGER NOT NULL DEFAULT 0 CHECK (inbox_count >= 0),
    worker_id   INTEGER,
    epoch       INTEGER,
    due_at      INTEGER,
    started_at  INTEGER NOT NULL,
    -- When the last step was committed.
    stepped_at  INTEGER,
    closed_at   INTEGER,
    blocked     TEXT,
    blocked_at  INTEGER,
    state       TEXT NOT NULL,
    snapshot    BLOB NOT NULL,
    -- The definition that wrote the state.
    definition  INTEGER,
    -- What the run came to.
    result      BLOB,
    failure     TEXT,
    -- Set where the end of the run concerns others: it is a child, has started children, or follows such a run.
    has_kin     INTEGER CHECK (has_kin = 1),
    -- Set where it has a row of piton_terms.
    has_terms   INTEGER CHECK (has_terms = 1),
    CHECK ((worker_id IS NULL) = (epoch IS NULL)),
    CHECK (worker_id IS NULL OR (status = 'running' AND due_at IS NULL)),
    CHECK (due_at IS NULL OR status = 'running'),
    CHECK ((closed_at IS NULL) = (status IN ('running', 'blocked', 'paused'))),
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
-- Runs that are over, those that closed first, for those who remove them after a while.
CREATE INDEX piton_runs_closed ON piton_runs (workflow, closed_at, run_id) WHERE closed_at IS NOT NULL;
CREATE INDEX piton_runs_owned ON piton_runs (worker_id) WHERE worker_id IS NOT NULL;

-- Blocked runs, for people.
CREATE INDEX piton_runs_blocked ON piton_runs (run_id) WHERE status = 'blocked';
-- Paused runs, for people.
CREATE INDEX piton_runs_paused ON piton_runs (run_id) WHERE status = 'paused';
-- Runs that are over and have not completed, for people. Those that have completed cost nothing.
CREATE INDEX piton_runs_unsuccessful ON piton_runs (status, run_id)
    WHERE status = 'failed' OR status = 'cancelled' OR status = 'terminated' OR status = 'timed_out';
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

-- Runs that follow another one of the same workflow id. The first of a chain has no row.
CREATE TABLE piton_chains (
    run_id          BLOB NOT NULL PRIMARY KEY REFERENCES piton_runs (run_id) ON DELETE CASCADE,
    first_run_id    BLOB NOT NULL CHECK (length(first_run_id) = 16),
    place           INTEGER NOT NULL CHECK (place > 0),
    previous_run_id BLOB NOT NULL UNIQUE CHECK (length(previous_run_id) = 16),
    link            TEXT NOT NULL CHECK (link IN ('continued', 'retry', 'cron'))
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX piton_chains_place ON piton_chains (first_run_id, place);

-- What is agreed on runs beside their arguments: timeouts, retries, cron. Most runs have no row. A text of the
-- engine's own says what.
CREATE TABLE piton_terms (
    run_id      BLOB NOT NULL PRIMARY KEY,
    terms       TEXT NOT NULL,
    -- The result of the last run of the chain that has completed before this one.
    last_result BLOB,
    -- When something is to be done about a timeout; null once nothing is.
    deadline_at INTEGER,
    -- Set where the timeouts leave out the time in which no worker was there.
    attended    INTEGER CHECK (attended = 1)
) STRICT, WITHOUT ROWID;

CREATE INDEX piton_terms_deadline ON piton_terms (deadline_at) WHERE deadline_at IS NOT NULL;
CREATE INDEX piton_terms_attended ON piton_terms (deadline_at) WHERE attended IS NOT NULL AND deadline_at IS NOT NULL;

-- Until when a worker is there for a workflow, of which a run has such terms.
CREATE TABLE piton_attendance (
    workflow       TEXT NOT NULL PRIMARY KEY,
    attended_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Runs that somebody has paused: those whose status says so, and those that their owners are yet to let go of.
CREATE TABLE piton_pauses (
    run_id    BLOB NOT NULL PRIMARY KEY REFERENCES piton_runs (run_id) ON DELETE CASCADE,
    paused_at INTEGER NOT NULL,
    who       TEXT NOT NULL,
    reason    TEXT NOT NULL,
    -- When a run that had not begun was due.
    due_at    INTEGER
) STRICT, WITHOUT ROWID;

-- Children, by the first run of their chain, also those that could not be started.
CREATE TABLE piton_children (
    child_id        BLOB NOT NULL PRIMARY KEY CHECK (length(child_id) = 16),
    workflow_id     TEXT NOT NULL,
    -- The run that has started it, and the first run of the chain of that.
    parent_run_id   BLOB NOT NULL CHECK (length(parent_run_id) = 16),
    parent_chain    BLOB NOT NULL CHECK (length(parent_chain) = 16),
    on_parent_close TEXT NOT NULL CHECK (on_parent_close IN ('terminate', 'request_cancel', 'abandon')),
    -- Whether that is still to be done.
    is_attached     INTEGER NOT NULL CHECK (is_attached IN (0, 1)),
    -- Whether it is also done when another run follows the parent in its chain.
    ends_with_run   INTEGER NOT NULL CHECK (ends_with_run IN (0, 1)),
    -- The open run that had its workflow id, so that it was not started.
    taken_by        BLOB CHECK (length(taken_by) = 16)
) STRICT, WITHOUT ROWID;

CREATE INDEX piton_children_parent ON piton_children (parent_chain, child_id);
CREATE INDEX piton_children_attached ON piton_children (parent_chain, child_id) WHERE is_attached = 1;
CREATE INDEX piton_children_of_run ON piton_children (parent_run_id, child_id)
    WHERE is_attached = 1 AND ends_with_run = 1;

-- Operations of runs that wait for the end of a child.
CREATE TABLE piton_child_waits (
    child_id BLOB NOT NULL CHECK (length(child_id) = 16),
    run_id   BLOB NOT NULL CHECK (length(run_id) = 16),
    handle   INTEGER NOT NULL CHECK (handle >= 0),
    PRIMARY KEY (child_id, run_id, handle)
) STRICT, WITHOUT ROWID;

-- What has arrived for a run and has not been used up.
CREATE TABLE piton_inbox (
    run_id     BLOB NOT NULL REFERENCES piton_runs (run_id) ON DELETE CASCADE,
    seq        INTEGER NOT NULL CHECK (seq > 0),
    arrival    BLOB NOT NULL,
    arrived_at INTEGER,
    PRIMARY KEY (run_id, seq)
) STRICT, WITHOUT ROWID;

-- The dedup keys of all arrivals ever accepted.
CREATE TABLE piton_arrival_keys (
    run_id    BLOB NOT NULL,
    dedup_key TEXT NOT NULL,
    -- The name of the signal or update; null for other arrivals.
    name      TEXT,
    PRIMARY KEY (run_id, dedup_key)
) STRICT, WITHOUT ROWID;

-- What runs have answered to updates. Rows are added and never changed.
CREATE TABLE piton_update_replies (
    run_id     BLOB NOT NULL REFERENCES piton_runs (run_id) ON DELETE CASCADE,
    update_id  TEXT NOT NULL,
    reply      BLOB NOT NULL,
    replied_at INTEGER NOT NULL,
    PRIMARY KEY (run_id, update_id)
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

-- Promises, from when they are first awaited or completed.
CREATE TABLE piton_promises (
    -- `run:` and the id of the run whose promise it is, `id:` and a workflow id that no run has had yet, `shared`, or `queue:`
    -- and the queue that has an item with the name as its key.
    scope        TEXT NOT NULL,
    name         TEXT NOT NULL,
    -- The run whose promise it is.
    run_id       BLOB REFERENCES piton_runs (run_id) ON DELETE CASCADE,
    workflow     TEXT NOT NULL,
    -- The schemas of what those who await it can read.
    resolved_type INTEGER,
    rejected_type INTEGER,
    -- What it has come to, who has completed it, and when.
    outcome      BLOB,
    completion   BLOB CHECK (length(completion) = 16),
    made_at      INTEGER NOT NULL,
    completed_at INTEGER,
    expires_at   INTEGER,
    -- When it expires, or since when its outcome is to go to those who wait; of one with a workflow id that is awaited,
    -- also when to look whether a run has it by then.
    due_at       INTEGER,
    -- The activity that completes it, and until when its outcome is kept, of an item of a queue.
    item_id      BLOB,
    kept_until   INTEGER,
    PRIMARY KEY (scope, name),
    CHECK ((outcome IS NULL) = (completed_at IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX piton_promises_due ON piton_promises (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX piton_promises_run ON piton_promises (run_id) WHERE run_id IS NOT NULL;

-- Operations of runs that await promises, until the outcome is in the inbox of the run.
CREATE TABLE piton_promise_waits (
    scope  TEXT NOT NULL,
    name   TEXT NOT NULL,
    run_id BLOB NOT NULL REFERENCES piton_runs (run_id) ON DELETE CASCADE,
    handle INTEGER NOT NULL CHECK (handle >= 0),
    UNIQUE (scope, name, run_id, handle)
) STRICT;

CREATE INDEX piton_promise_waits_run ON piton_promise_waits (run_id);

-- Activities on queues: a row from the commit that asks for one until its outcome is in the run's
-- inbox or the run no longer wants it. A row is in one of three states: it waits (`due_at` is set),
-- an attempt is being made by a worker (`worker_id` is set), or an attempt awaits the holder of its
-- token (neither is).
CREATE TABLE piton_activities (
    run_id        BLOB NOT NULL,
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
    -- The key, and for how long it is kept, of an item of the queue, which belongs to no run.
    item_key      TEXT,
    retention_ms  INTEGER CHECK (retention_ms >= 0),
    -- Those with a higher one are taken first.
    priority      INTEGER NOT NULL DEFAULT 0,
    -- Whose turn on the queue it takes; empty if it names nobody.
    partition     TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (run_id, handle),
    CHECK ((item_key IS NULL) = (retention_ms IS NULL)),
    CHECK ((failed_attempt IS NULL) = (failure IS NULL)),
    CHECK ((worker_id IS NULL) = (epoch IS NULL)),
    CHECK (worker_id IS NULL OR due_at IS NULL),
    CHECK (end_by IS NULL OR due_at IS NULL)
) STRICT, WITHOUT ROWID;

-- By activity too: a worker that has no room for one activity must not read its backlog to find the
-- others behind it.
CREATE INDEX piton_activities_due ON piton_activities (queue, activity, partition, due_at, run_id, handle)
    WHERE due_at IS NOT NULL;
-- Those that are not taken in the order in which they are due.
CREATE INDEX piton_activities_urgent ON piton_activities
    (queue, activity, partition, priority DESC, due_at, run_id, handle)
    WHERE due_at IS NOT NULL AND priority <> 0;
-- The attempts of a worker; those of all workers on a queue, by partition.
CREATE INDEX piton_activities_held ON piton_activities (worker_id, queue, partition)
    WHERE worker_id IS NOT NULL;
-- The next one of any partition.
CREATE INDEX piton_activities_next ON piton_activities (queue, due_at)
    WHERE due_at IS NOT NULL AND partition <> '';
CREATE INDEX piton_activities_expiring ON piton_activities (expires_at)
    WHERE expires_at IS NOT NULL;

-- Calls on queues that have failed for good, until they are put on their queue again, discarded, or old. Ids are never
-- used twice.
CREATE TABLE piton_failed_calls (
    call_id       INTEGER PRIMARY KEY AUTOINCREMENT,
    -- The activity that it was.
    run_id        BLOB NOT NULL,
    handle        INTEGER NOT NULL CHECK (handle >= 0),
    queue         TEXT NOT NULL,
    activity      TEXT NOT NULL,
    call          BLOB NOT NULL,
    attempts      INTEGER NOT NULL CHECK (attempts >= 0),
    failure       TEXT NOT NULL,
    failed_at     INTEGER NOT NULL,
    -- The key, and for how long it is kept, of an item of the queue.
    item_key      TEXT,
    retention_ms  INTEGER CHECK (retention_ms >= 0),
    priority      INTEGER NOT NULL,
    partition     TEXT NOT NULL,
    UNIQUE (run_id, handle),
    CHECK ((item_key IS NULL) = (retention_ms IS NULL))
) STRICT;

CREATE INDEX piton_failed_calls_queue ON piton_failed_calls (queue, call_id);
CREATE INDEX piton_failed_calls_age ON piton_failed_calls (failed_at);

-- Queues whose partitions take turns: the limits over all workers, whose turn it is, and how many calls were taken in it.
-- A row is never removed, since a call in a partition may be put on the queue at any time.
CREATE TABLE piton_partitioned_queues (
    queue                TEXT NOT NULL PRIMARY KEY,
    max_concurrent       INTEGER CHECK (max_concurrent > 0),
    partition_concurrent INTEGER CHECK (partition_concurrent > 0),
    -- So many attempts in such a period may begin in each partition.
    rate_count           INTEGER CHECK (rate_count > 0),
    rate_period_ms       INTEGER CHECK (rate_period_ms > 0),
    turn                 TEXT NOT NULL DEFAULT '',
    taken                INTEGER NOT NULL DEFAULT 0 CHECK (taken >= 0),
    CHECK ((rate_count IS NULL) = (rate_period_ms IS NULL))
) STRICT, WITHOUT ROWID;

-- Partitions with a weight other than 1, or whose token bucket is not full.
CREATE TABLE piton_partitions (
    queue     TEXT NOT NULL,
    partition TEXT NOT NULL,
    weight    INTEGER NOT NULL DEFAULT 1 CHECK (weight > 0),
    -- When the token bucket is full.
    full_at   INTEGER,
    PRIMARY KEY (queue, partition)
) STRICT, WITHOUT ROWID;

CREATE INDEX piton_partitions_full ON piton_partitions (queue, full_at) WHERE full_at IS NOT NULL;

-- Queues of which nobody takes activities.
CREATE TABLE piton_paused_queues (
    queue     TEXT NOT NULL PRIMARY KEY,
    paused_at INTEGER NOT NULL,
    reason    TEXT NOT NULL
) STRICT;

CREATE TABLE piton_definitions (
    workflow    TEXT NOT NULL,
    hash        INTEGER NOT NULL,
    description TEXT NOT NULL,
    PRIMARY KEY (workflow, hash)
) STRICT, WITHOUT ROWID;

-- Schemas of stored values, by the hash of their content, as JSON.
CREATE TABLE piton_schemas (
    hash   INTEGER NOT NULL PRIMARY KEY,
    schema TEXT NOT NULL
) STRICT;

-- A frame names its definition by the hash alone.
CREATE INDEX piton_definitions_hash ON piton_definitions (hash);

-- What people have changed by hand, and why. Rows are added and never changed; those of a run stay when the run
-- goes. Ids are never used twice.
CREATE TABLE piton_audit (
    entry_id INTEGER PRIMARY KEY AUTOINCREMENT,
    -- The run that was changed; null if it was not one run.
    run_id   BLOB CHECK (length(run_id) = 16),
    at       INTEGER NOT NULL,
    who      TEXT NOT NULL,
    action   TEXT NOT NULL,
    reason   TEXT NOT NULL,
    -- What else is to be known of the change, as JSON.
    details  TEXT
) STRICT;

CREATE INDEX piton_audit_run ON piton_audit (run_id, entry_id);

-- States that commits of a run have left, as far as its workflow keeps them.
CREATE TABLE piton_history (
    run_id   BLOB NOT NULL REFERENCES piton_runs (run_id) ON DELETE CASCADE,
    -- The run's commits then.
    step_no  INTEGER NOT NULL CHECK (step_no > 0),
    at       INTEGER NOT NULL,
    state    TEXT NOT NULL,
    snapshot BLOB NOT NULL,
    PRIMARY KEY (run_id, step_no)
) STRICT;

-- Attributes of runs, by which people find them: a row for each, and for each entry of a list. The column of its kind
-- holds the value.
CREATE TABLE piton_attributes (
    run_id  BLOB NOT NULL REFERENCES piton_runs (run_id) ON DELETE CASCADE,
    name    TEXT NOT NULL,
    -- The place of an entry in its list, from 0.
    place   INTEGER NOT NULL CHECK (place >= 0),
    kind    TEXT NOT NULL,
    -- Texts, keywords and entries of lists.
    text    TEXT,
    integer INTEGER,
    float   REAL,
    -- 0 or 1.
    truth   INTEGER CHECK (truth IN (0, 1)),
    time    INTEGER,
    PRIMARY KEY (run_id, name, place),
    CHECK (CASE kind
        WHEN 'keyword' THEN text IS NOT NULL
        WHEN 'keywords' THEN text IS NOT NULL
        WHEN 'text' THEN text IS NOT NULL
        WHEN 'integer' THEN integer IS NOT NULL
        WHEN 'float' THEN float IS NOT NULL
        WHEN 'bool' THEN truth IS NOT NULL
        WHEN 'time' THEN time IS NOT NULL
        ELSE false
    END)
) STRICT, WITHOUT ROWID;

-- Of long texts the beginning; the newest runs of those with the same text come first.
CREATE INDEX piton_attributes_text ON piton_attributes (name, substr(text, 1, 100), run_id)
    WHERE text IS NOT NULL;
CREATE INDEX piton_attributes_integer ON piton_attributes (name, integer, run_id) WHERE integer IS NOT NULL;
CREATE INDEX piton_attributes_float ON piton_attributes (name, float, run_id) WHERE float IS NOT NULL;
CREATE INDEX piton_attributes_truth ON piton_attributes (name, truth, run_id) WHERE truth IS NOT NULL;
CREATE INDEX piton_attributes_time ON piton_attributes (name, time, run_id) WHERE time IS NOT NULL;

-- What runs were started with for people who look at lists, as JSON.
CREATE TABLE piton_memos (
    run_id BLOB NOT NULL PRIMARY KEY REFERENCES piton_runs (run_id) ON DELETE CASCADE,
    memo   TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What is started at which times. A text of the engine's own says what, and another how far it has come.
CREATE TABLE piton_schedules (
    schedule_id TEXT NOT NULL PRIMARY KEY,
    -- What tells it from those that had its id before.
    token       BLOB NOT NULL CHECK (length(token) = 16),
    -- Raised by each write; raised by each change of what it says.
    version     INTEGER NOT NULL DEFAULT 0 CHECK (version >= 0),
    revision    INTEGER NOT NULL DEFAULT 0 CHECK (revision >= 0),
    workflow    TEXT NOT NULL,
    arguments   BLOB NOT NULL,
    config      TEXT NOT NULL,
    state       TEXT NOT NULL,
    -- When it is to be looked at; null is never.
    due_at      INTEGER,
    created_at  INTEGER NOT NULL,
    -- The entries that its log has ever had.
    log_count   INTEGER NOT NULL DEFAULT 0 CHECK (log_count >= 0)
) STRICT;

CREATE INDEX piton_schedules_due ON piton_schedules (workflow, due_at, schedule_id) WHERE due_at IS NOT NULL;

-- The last things that a schedule has done, and that were done to it.
CREATE TABLE piton_schedule_log (
    schedule_id TEXT NOT NULL REFERENCES piton_schedules (schedule_id) ON DELETE CASCADE,
    seq         INTEGER NOT NULL CHECK (seq > 0),
    at          INTEGER NOT NULL,
    kind        TEXT NOT NULL,
    nominal_at  INTEGER,
    run_id      BLOB CHECK (length(run_id) = 16),
    -- What else is to be known of it, as JSON.
    details     TEXT,
    PRIMARY KEY (schedule_id, seq)
) STRICT;

-- Tables as people read them, see docs/views.md. Times are texts as ISO 8601 has them, in UTC.

-- All runs.
CREATE VIEW piton_view_runs AS SELECT
    lower(printf('%s-%s-%s-%s-%s', substr(hex(run.run_id), 1, 8), substr(hex(run.run_id), 9, 4),
        substr(hex(run.run_id), 13, 4), substr(hex(run.run_id), 17, 4), substr(hex(run.run_id), 21))) AS run_id,
    run.workflow,
    run.workflow_id,
    run.status,
    run.state,
    run.step_no AS step,
    CASE WHEN run.definition IS NOT NULL THEN printf('%016x', run.definition) END AS definition,
    run.worker_id,
    strftime('%Y-%m-%dT%H:%M:%S', run.started_at / 1000000, 'unixepoch')
        || printf('.%06dZ', run.started_at % 1000000) AS started_at,
    strftime('%Y-%m-%dT%H:%M:%S', run.due_at / 1000000, 'unixepoch')
        || printf('.%06dZ', run.due_at % 1000000) AS due_at,
    strftime('%Y-%m-%dT%H:%M:%S', run.closed_at / 1000000, 'unixepoch')
        || printf('.%06dZ', run.closed_at % 1000000) AS closed_at,
    strftime('%Y-%m-%dT%H:%M:%S', run.blocked_at / 1000000, 'unixepoch')
        || printf('.%06dZ', run.blocked_at % 1000000) AS blocked_at,
    (SELECT key FROM json_each(run.blocked)) AS blocked_kind,
    (SELECT value FROM json_each(run.blocked)) AS blocked_reason,
    run.failure
FROM piton_runs AS run;

-- Open runs, and what they wait for.
CREATE VIEW piton_view_waits AS SELECT
    lower(printf('%s-%s-%s-%s-%s', substr(hex(run.run_id), 1, 8), substr(hex(run.run_id), 9, 4),
        substr(hex(run.run_id), 13, 4), substr(hex(run.run_id), 17, 4), substr(hex(run.run_id), 21))) AS run_id,
    run.workflow,
    run.workflow_id,
    run.state,
    run.step_no AS step,
    CASE
        WHEN run.status = 'blocked' THEN 'unblock'
        WHEN run.status = 'paused' THEN 'resume'
        WHEN run.worker_id IS NOT NULL THEN 'worker'
        WHEN run.due_at IS NOT NULL THEN 'time'
        WHEN EXISTS (SELECT 1 FROM piton_activities AS asked WHERE asked.run_id = run.run_id)
            THEN 'activity'
        ELSE 'arrival'
    END AS waits_for,
    strftime('%Y-%m-%dT%H:%M:%S', run.due_at / 1000000, 'unixepoch')
        || printf('.%06dZ', run.due_at % 1000000) AS due_at,
    strftime('%Y-%m-%dT%H:%M:%S',
        coalesce(run.blocked_at, run.stepped_at, run.started_at) / 1000000, 'unixepoch')
        || printf('.%06dZ', coalesce(run.blocked_at, run.stepped_at, run.started_at) % 1000000) AS since,
    run.worker_id,
    (SELECT count(*) FROM piton_activities AS asked WHERE asked.run_id = run.run_id) AS activities,
    (SELECT count(*) FROM piton_inbox AS unread WHERE unread.run_id = run.run_id) AS unread,
    (SELECT strftime('%Y-%m-%dT%H:%M:%S', min(arrived_at) / 1000000, 'unixepoch')
        || printf('.%06dZ', min(arrived_at) % 1000000)
        FROM piton_inbox AS unread WHERE unread.run_id = run.run_id) AS unread_since
FROM piton_runs AS run WHERE run.closed_at IS NULL;

-- Activities on queues.
CREATE VIEW piton_view_activities AS SELECT
    lower(printf('%s-%s-%s-%s-%s', substr(hex(asked.run_id), 1, 8), substr(hex(asked.run_id), 9, 4),
        substr(hex(asked.run_id), 13, 4), substr(hex(asked.run_id), 17, 4), substr(hex(asked.run_id), 21))) AS run_id,
    run.workflow,
    run.workflow_id,
    asked.handle,
    asked.queue,
    asked.partition,
    asked.activity,
    CASE
        WHEN asked.due_at IS NOT NULL THEN 'waiting'
        WHEN asked.worker_id IS NOT NULL THEN 'attempted'
        ELSE 'awaiting token'
    END AS status,
    asked.attempt,
    asked.interruptions,
    asked.worker_id,
    strftime('%Y-%m-%dT%H:%M:%S', asked.due_at / 1000000, 'unixepoch')
        || printf('.%06dZ', asked.due_at % 1000000) AS due_at,
    strftime('%Y-%m-%dT%H:%M:%S', asked.expires_at / 1000000, 'unixepoch')
        || printf('.%06dZ', asked.expires_at % 1000000) AS expires_at,
    asked.failed_attempt,
    asked.failure
FROM piton_activities AS asked JOIN piton_runs AS run ON run.run_id = asked.run_id;

-- What nobody could take.
CREATE VIEW piton_view_dead_letters AS SELECT
    letter.letter_id,
    CASE WHEN letter.run_id IS NOT NULL THEN
        lower(printf('%s-%s-%s-%s-%s', substr(hex(letter.run_id), 1, 8), substr(hex(letter.run_id), 9, 4),
            substr(hex(letter.run_id), 13, 4), substr(hex(letter.run_id), 17, 4), substr(hex(letter.run_id), 21)))
    END AS run_id,
    letter.workflow_id,
    CASE WHEN letter.sender_id IS NOT NULL THEN
        lower(printf('%s-%s-%s-%s-%s', substr(hex(letter.sender_id), 1, 8), substr(hex(letter.sender_id), 9, 4),
            substr(hex(letter.sender_id), 13, 4), substr(hex(letter.sender_id), 17, 4), substr(hex(letter.sender_id), 21)))
    END AS sender_id,
    CASE json_type(letter.reason) WHEN 'object' THEN (SELECT key FROM json_each(letter.reason))
        ELSE json_extract(letter.reason, '$') END AS kind,
    CASE json_type(letter.reason) WHEN 'object'
        THEN (SELECT value FROM json_each(letter.reason)) END AS reason,
    strftime('%Y-%m-%dT%H:%M:%S', letter.set_aside_at / 1000000, 'unixepoch')
        || printf('.%06dZ', letter.set_aside_at % 1000000) AS set_aside_at,
    length(letter.arrival) AS bytes
FROM piton_dead_letters AS letter;

-- Definitions, with the open runs that are in a state of theirs.
CREATE VIEW piton_view_definitions AS SELECT
    known.workflow,
    printf('%016x', known.hash) AS definition,
    coalesce(counted.runs, 0) AS open_runs
FROM piton_definitions AS known LEFT JOIN (
    SELECT workflow, definition, count(*) AS runs FROM piton_runs WHERE closed_at IS NULL
    GROUP BY workflow, definition
) AS counted ON counted.workflow = known.workflow AND counted.definition = known.hash;

-- Attributes of runs, as text.
CREATE VIEW piton_view_attributes AS SELECT
    lower(printf('%s-%s-%s-%s-%s', substr(hex(run.run_id), 1, 8), substr(hex(run.run_id), 9, 4),
        substr(hex(run.run_id), 13, 4), substr(hex(run.run_id), 17, 4), substr(hex(run.run_id), 21))) AS run_id,
    run.workflow,
    run.workflow_id,
    run.status,
    attribute.name,
    attribute.kind,
    CASE attribute.kind
        WHEN 'integer' THEN CAST(attribute.integer AS TEXT)
        WHEN 'float' THEN CAST(attribute.float AS TEXT)
        WHEN 'bool' THEN CASE attribute.truth WHEN 0 THEN 'false' ELSE 'true' END
        WHEN 'time' THEN strftime('%Y-%m-%dT%H:%M:%S', attribute.time / 1000000, 'unixepoch')
            || printf('.%06dZ', attribute.time % 1000000)
        ELSE attribute.text
    END AS value
FROM piton_attributes AS attribute JOIN piton_runs AS run ON run.run_id = attribute.run_id;
