-- What a run came to is in its row, which is written at its end anyway.
ALTER TABLE piton_runs ADD COLUMN result BLOB;
ALTER TABLE piton_runs ADD COLUMN failure TEXT;
UPDATE piton_runs SET result = ended.result, failure = ended.failure
    FROM piton_run_results AS ended WHERE ended.run_id = piton_runs.run_id;
DROP TABLE piton_run_results;

-- The last of the runs that are over; an open one is found by the index of those.
DROP INDEX piton_runs_workflow_id;
CREATE INDEX piton_runs_workflow_id ON piton_runs (workflow_id, started_at, run_id) WHERE closed_at IS NOT NULL;
