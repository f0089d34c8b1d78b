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
