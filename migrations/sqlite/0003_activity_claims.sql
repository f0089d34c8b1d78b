-- By activity too: a worker that has no room for one activity must not read its backlog to find the
-- others behind it.
DROP INDEX piton_activities_due;
CREATE INDEX piton_activities_due ON piton_activities (queue, activity, due_at, run_id, handle)
    WHERE due_at IS NOT NULL;
