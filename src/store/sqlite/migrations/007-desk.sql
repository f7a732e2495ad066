-- Who may open the desk of an account: the hash of each key, as of tokens.
CREATE TABLE desk_keys (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id   INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  hash         TEXT    NOT NULL UNIQUE CHECK (length(hash) = 64),
  name         TEXT    NOT NULL,
  role         TEXT    NOT NULL CHECK (role IN ('planner', 'owner')),
  created_at   INTEGER NOT NULL CHECK (created_at BETWEEN 0 AND 8640000000000000),
  expires_at   INTEGER CHECK (expires_at BETWEEN 0 AND 8640000000000000),
  revoked_at   INTEGER CHECK (revoked_at BETWEEN 0 AND 8640000000000000),
  last_used_at INTEGER CHECK (last_used_at BETWEEN 0 AND 8640000000000000)
) STRICT;
CREATE INDEX desk_keys_of_account ON desk_keys (account_id);

-- What planners answered at the desk about the sheets of an account, as a recipe in JSON.
CREATE TABLE desk_recipes (
  account_id INTEGER PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  recipe     TEXT    NOT NULL
) STRICT;
