-- What was imported into each account, and taken back. There is no trigger, because no listing changes with it. Making the
-- table waits for who writes to accounts, but nobody who reads waits for it.
--
-- `counts` is JSON. `revision` and `state` are what the account was like afterwards: the state is a hash of what can change
-- without a new revision. `input` is a hash of the file and of how it was read, of the last entry of an account only.
-- `refusal` says why an import cannot be taken back; NULL: what it replaced is in replaced_records.
LOCK TABLE accounts IN SHARE ROW EXCLUSIVE MODE;
CREATE TABLE import_history (
  id          bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id  bigint  NOT NULL REFERENCES accounts ON DELETE CASCADE,
  at          bigint  NOT NULL CHECK (at BETWEEN 0 AND 8640000000000000),
  action      text    NOT NULL CHECK (action IN ('import', 'undo')),
  who         text    NOT NULL,
  file        text    NOT NULL,
  has_changed boolean NOT NULL,
  counts      text    NOT NULL,
  revision    bigint  NOT NULL,
  state       text    NOT NULL,
  input       text,
  refusal     text    CHECK (refusal IN ('tokens', 'size', 'changed', 'undone'))
);
CREATE INDEX import_history_of_account ON import_history (account_id, id);
CREATE INDEX import_history_by_input ON import_history (input) WHERE input IS NOT NULL;

-- What the last import of an account replaced, compressed.
CREATE TABLE replaced_records (
  entry_id bigint  NOT NULL REFERENCES import_history ON DELETE CASCADE,
  piece    integer NOT NULL,
  content  bytea   NOT NULL,
  PRIMARY KEY (entry_id, piece)
);
