-- What a run came to is in its row, which is written at its end anyway.
ALTER TABLE piton_runs ADD COLUMN result BYTEA, ADD COLUMN failure TEXT;
UPDATE piton_runs AS run SET result = ended.result, failure = ended.failure
    FROM piton_run_results AS ended WHERE ended.run_id = run.run_id;
DROP TABLE piton_run_results;

-- One constraint says what all of these said: each costs every statement the reading of it, and every
-- row its check.
ALTER TABLE piton_runs
    DROP CONSTRAINT piton_runs_step_no_check,
    DROP CONSTRAINT piton_runs_takeovers_check,
    DROP CONSTRAINT piton_runs_inbox_count_check,
    DROP CONSTRAINT piton_runs_status_check,
    DROP CONSTRAINT piton_runs_check,
    DROP CONSTRAINT piton_runs_check1,
    DROP CONSTRAINT piton_runs_check2,
    DROP CONSTRAINT piton_runs_check3,
    DROP CONSTRAINT piton_runs_check4,
    ADD CONSTRAINT piton_runs_row CHECK (
        step_no >= 0 AND takeovers >= 0 AND inbox_count >= 0
        AND (worker_id IS NULL) = (epoch IS NULL)
        AND CASE WHEN status = 'running' THEN
            closed_at IS NULL AND blocked IS NULL AND result IS NULL AND failure IS NULL
            AND (worker_id IS NULL OR due_at IS NULL)
        WHEN status = 'blocked' THEN
            closed_at IS NULL AND blocked IS NOT NULL AND result IS NULL AND failure IS NULL
            AND worker_id IS NULL AND due_at IS NULL
        ELSE
            status IN ('completed', 'failed', 'cancelled', 'terminated')
            AND closed_at IS NOT NULL AND blocked IS NULL AND worker_id IS NULL AND due_at IS NULL
        END
    );

-- No workflow id stands for the run's id written out, which is what most runs have.
ALTER TABLE piton_runs ALTER COLUMN workflow_id DROP NOT NULL;
DROP INDEX piton_runs_open;
CREATE UNIQUE INDEX piton_runs_open ON piton_runs (workflow_id)
    WHERE closed_at IS NULL AND workflow_id IS NOT NULL;
-- The last of the runs that are over; an open one is found by the index above.
DROP INDEX piton_runs_workflow_id;
CREATE INDEX piton_runs_workflow_id ON piton_runs (workflow_id, started_at, run_id)
    WHERE closed_at IS NOT NULL AND workflow_id IS NOT NULL;

-- Runs that came together share an entry.
DROP INDEX piton_runs_due;
CREATE INDEX piton_runs_due ON piton_runs (workflow, due_at) WHERE due_at IS NOT NULL;

-- Half of each page is free: in one commit every row of a page may be rewritten, and none of the old
-- versions can go before it.
ALTER TABLE piton_runs SET (fillfactor = 50);
