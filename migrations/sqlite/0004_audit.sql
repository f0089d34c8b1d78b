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
