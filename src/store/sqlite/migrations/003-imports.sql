-- When the last import into each account succeeded. There is no trigger, because no listing changes with it.
CREATE TABLE imports (
  account_id   INTEGER NOT NULL PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  succeeded_at INTEGER NOT NULL CHECK (succeeded_at BETWEEN 0 AND 8640000000000000)
) STRICT;
