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
        WHEN run.worker_id IS NOT NULL THEN 'worker'
        WHEN run.due_at IS NOT NULL THEN 'time'
        WHEN EXISTS (SELECT 1 FROM piton_activities AS asked WHERE asked.run_id = run.run_id)
            THEN 'activity'
        ELSE 'arrival'
    END AS waits_for,
    strftime('%Y-%m-%dT%H:%M:%S', run.due_at / 1000000, 'unixepoch')
        || printf('.%06dZ', run.due_at % 1000000) AS due_at,
    strftime('%Y-%m-%dT%H:%M:%S',
        coalesce(run.blocked_at, CASE WHEN run.step_no = 0 THEN run.started_at END) / 1000000, 'unixepoch')
        || printf('.%06dZ', coalesce(run.blocked_at, CASE WHEN run.step_no = 0 THEN run.started_at END) % 1000000) AS since,
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
