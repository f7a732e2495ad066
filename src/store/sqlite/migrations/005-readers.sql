-- The oldest version of the schema whose servers can read this one. Earlier versions look at nothing but the version,
-- which is in the header of the file.
CREATE TABLE schema_version (reads_from INTEGER NOT NULL) STRICT;
INSERT INTO schema_version VALUES (5);
