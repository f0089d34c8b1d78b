-- Workers look for blocked runs that they can go on with: those that lack something of the build, whose
-- reasons begin so. What has panicked waits for somebody who unblocks it, and may be any number.
CREATE INDEX piton_runs_adoptable ON piton_runs (run_id)
    WHERE status = 'blocked' AND substr(blocked, 1, 4) = '{"un';
