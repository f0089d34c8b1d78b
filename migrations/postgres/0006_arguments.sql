-- What a run was started with is in its row, too: apart from it, its arguments took 83 bytes more on
-- disk and a start another insert. Last in the row, so that the log of a step, which leaves them as
-- they are, does not repeat them. And nothing stands for no takeovers, which most runs have.
ALTER TABLE piton_runs
    ADD COLUMN arguments BYTEA,
    ALTER COLUMN takeovers DROP NOT NULL,
    ALTER COLUMN takeovers DROP DEFAULT;
UPDATE piton_runs AS run SET takeovers = nullif(takeovers, 0),
    arguments = (SELECT input.arguments FROM piton_run_inputs AS input WHERE input.run_id = run.run_id);
DROP TABLE piton_run_inputs;
