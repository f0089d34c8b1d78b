-- Workers look for blocked runs that they can go on with.
CREATE INDEX piton_runs_blocked ON piton_runs (run_id) WHERE status = 'blocked';
