-- The definition that wrote a run's state. Null stands for runs that have made no step since.
ALTER TABLE piton_runs ADD COLUMN definition INTEGER;
