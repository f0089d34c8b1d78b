-- Tables as people read them, see docs/views.md. Times beyond the year 9999 are null.

-- All runs.
CREATE VIEW piton_view_runs AS SELECT
    run.run_id::text AS run_id,
    run.workflow,
    coalesce(run.workflow_id, run.run_id::text) AS workflow_id,
    run.status,
    run.state,
    run.step_no AS step,
    encode(run.definition, 'hex') AS definition,
    run.worker_id,
    CASE WHEN run.started_at BETWEEN -62135596800000000 AND 253402300799999999
        THEN to_timestamp(0) + run.started_at * interval '1 microsecond' END AS started_at,
    CASE WHEN run.due_at BETWEEN -62135596800000000 AND 253402300799999999
        THEN to_timestamp(0) + run.due_at * interval '1 microsecond' END AS due_at,
    CASE WHEN run.closed_at BETWEEN -62135596800000000 AND 253402300799999999
        THEN to_timestamp(0) + run.closed_at * interval '1 microsecond' END AS closed_at,
    CASE WHEN run.blocked_at BETWEEN -62135596800000000 AND 253402300799999999
        THEN to_timestamp(0) + run.blocked_at * interval '1 microsecond' END AS blocked_at,
    (SELECT key
        FROM json_each_text(replace(run.blocked, '\u0000', '\ufffd')::json)) AS blocked_kind,
    (SELECT value
        FROM json_each_text(replace(run.blocked, '\u0000', '\ufffd')::json)) AS blocked_reason,
    run.failure
FROM piton_runs AS run;

-- Open runs, and what they wait for.
CREATE VIEW piton_view_waits AS SELECT
    run.run_id::text AS run_id,
    run.workflow,
    coalesce(run.workflow_id, run.run_id::text) AS workflow_id,
    run.state,
    run.step_no AS step,
    CASE
        WHEN run.status = 'blocked' THEN 'unblock'
        WHEN run.worker_id IS NOT NULL THEN 'worker'
        WHEN run.due_at IS NOT NULL THEN 'time'
        WHEN EXISTS (SELECT 1 FROM piton_activities AS asked WHERE asked.run_id = run.run_id)
            THEN 'activity'
        ELSE 'arrival'
    END AS waits_for,
    CASE WHEN run.due_at BETWEEN -62135596800000000 AND 253402300799999999
        THEN to_timestamp(0) + run.due_at * interval '1 microsecond' END AS due_at,
    CASE WHEN coalesce(run.blocked_at, CASE WHEN run.step_no = 0 THEN run.started_at END)
        BETWEEN -62135596800000000 AND 253402300799999999
        THEN to_timestamp(0)
        + coalesce(run.blocked_at, CASE WHEN run.step_no = 0 THEN run.started_at END) * interval '1 microsecond' END AS since,
    run.worker_id,
    (SELECT count(*) FROM piton_activities AS asked WHERE asked.run_id = run.run_id) AS activities,
    (SELECT count(*) FROM piton_inbox AS unread WHERE unread.run_id = run.run_id) AS unread,
    (SELECT CASE WHEN min(arrived_at) BETWEEN -62135596800000000 AND 253402300799999999
        THEN to_timestamp(0) + min(arrived_at) * interval '1 microsecond' END
        FROM piton_inbox AS unread WHERE unread.run_id = run.run_id) AS unread_since
FROM piton_runs AS run WHERE run.closed_at IS NULL;

-- Activities on queues.
CREATE VIEW piton_view_activities AS SELECT
    asked.run_id::text AS run_id,
    run.workflow,
    coalesce(run.workflow_id, run.run_id::text) AS workflow_id,
    asked.handle,
    asked.queue,
    asked.activity,
    CASE
        WHEN asked.due_at IS NOT NULL THEN 'waiting'
        WHEN asked.worker_id IS NOT NULL THEN 'attempted'
        ELSE 'awaiting token'
    END AS status,
    asked.attempt,
    asked.interruptions,
    asked.worker_id,
    CASE WHEN asked.due_at BETWEEN -62135596800000000 AND 253402300799999999
        THEN to_timestamp(0) + asked.due_at * interval '1 microsecond' END AS due_at,
    CASE WHEN asked.expires_at BETWEEN -62135596800000000 AND 253402300799999999
        THEN to_timestamp(0) + asked.expires_at * interval '1 microsecond' END AS expires_at,
    asked.failed_attempt,
    asked.failure
FROM piton_activities AS asked JOIN piton_runs AS run ON run.run_id = asked.run_id;

-- What nobody could take.
CREATE VIEW piton_view_dead_letters AS SELECT
    letter.letter_id,
    letter.run_id::text AS run_id,
    letter.workflow_id,
    letter.sender_id::text AS sender_id,
    CASE json_typeof(replace(letter.reason, '\u0000', '\ufffd')::json) WHEN 'object'
        THEN (SELECT key FROM json_each_text(replace(letter.reason, '\u0000', '\ufffd')::json))
        ELSE replace(letter.reason, '\u0000', '\ufffd')::json #>> '{}' END AS kind,
    CASE json_typeof(replace(letter.reason, '\u0000', '\ufffd')::json) WHEN 'object'
        THEN (SELECT value FROM json_each_text(replace(letter.reason, '\u0000', '\ufffd')::json)) END AS reason,
    CASE WHEN letter.set_aside_at BETWEEN -62135596800000000 AND 253402300799999999
        THEN to_timestamp(0) + letter.set_aside_at * interval '1 microsecond' END AS set_aside_at,
    octet_length(letter.arrival) AS bytes
FROM piton_dead_letters AS letter;

-- Definitions, with the open runs that are in a state of theirs.
CREATE VIEW piton_view_definitions AS SELECT
    known.workflow,
    lpad(to_hex(known.hash), 16, '0') AS definition,
    coalesce(counted.runs, 0) AS open_runs
FROM piton_definitions AS known LEFT JOIN (
    SELECT workflow, definition, count(*) AS runs FROM piton_runs WHERE closed_at IS NULL
    GROUP BY workflow, definition
) AS counted ON counted.workflow = known.workflow AND counted.definition = int8send(known.hash);
