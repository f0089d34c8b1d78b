-- The definition that wrote a run's state, as eight bytes in the order of their weight. A number would have to
-- be aligned: the arguments before it would then be elsewhere in the row whenever a state is longer or shorter,
-- and the log of every step would repeat them. Null stands for runs that have made no step since.
ALTER TABLE piton_runs ADD COLUMN definition BYTEA;
