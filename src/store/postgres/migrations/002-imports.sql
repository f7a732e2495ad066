-- When the last import into each account succeeded. There is no trigger, because no listing changes with it. Making the
-- table waits for who writes to accounts, but nobody who reads waits for it.
LOCK TABLE accounts IN SHARE ROW EXCLUSIVE MODE;
CREATE TABLE imports (
  account_id   bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  succeeded_at bigint NOT NULL CHECK (succeeded_at BETWEEN 0 AND 8640000000000000)
);
