-- The oldest version of the schema whose servers can read this one. Earlier versions look at nothing but the version.
ALTER TABLE schema_version ADD COLUMN reads_from integer NOT NULL DEFAULT 5;
