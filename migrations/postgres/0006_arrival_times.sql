-- When it has arrived. Null stands for what was there before.
ALTER TABLE piton_inbox ADD COLUMN arrived_at BIGINT;
