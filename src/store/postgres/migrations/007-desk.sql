-- Who may open the desk of an account: the hash of each key, as of tokens. Making the tables waits for who writes to
-- accounts, but nobody who reads waits for it.
LOCK TABLE accounts IN SHARE ROW EXCLUSIVE MODE;
CREATE TABLE desk_keys (
  id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id   bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  hash         text   NOT NULL UNIQUE CHECK (length(hash) = 64),
  name         text   NOT NULL,
  role         text   NOT NULL CHECK (role IN ('planner', 'owner')),
  created_at   bigint NOT NULL CHECK (created_at BETWEEN 0 AND 8640000000000000),
  expires_at   bigint CHECK (expires_at BETWEEN 0 AND 8640000000000000),
  revoked_at   bigint CHECK (revoked_at BETWEEN 0 AND 8640000000000000),
  last_used_at bigint CHECK (last_used_at BETWEEN 0 AND 8640000000000000)
);
CREATE INDEX desk_keys_of_account ON desk_keys (account_id);

-- What planners answered at the desk about the sheets of an account, as a recipe in JSON.
CREATE TABLE desk_recipes (
  account_id bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  recipe     text   NOT NULL
);
