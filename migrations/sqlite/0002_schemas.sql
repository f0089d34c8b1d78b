-- Schemas of stored values, by the hash of their content, as JSON.
CREATE TABLE piton_schemas (
    hash   INTEGER NOT NULL PRIMARY KEY,
    schema TEXT NOT NULL
) STRICT;

-- A frame names its definition by the hash alone.
CREATE INDEX piton_definitions_hash ON piton_definitions (hash);
