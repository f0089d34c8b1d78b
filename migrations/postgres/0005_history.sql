-- States that commits of a run have left, as far as its workflow keeps them.
CREATE TABLE piton_history (
    run_id   UUID NOT NULL,
    -- The run's commits then.
    step_no  BIGINT NOT NULL CHECK (step_no > 0),
    at       BIGINT NOT NULL,
    state    TEXT NOT NULL,
    snapshot BYTEA NOT NULL,
    PRIMARY KEY (run_id, step_no)
);
