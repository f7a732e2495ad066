-- What was imported into each account, and taken back. There is no trigger, because no listing changes with it.
--
-- `counts` is JSON. `revision` and `state` are what the account was like afterwards: the state is a hash of what can change
-- without a new revision. `input` is a hash of the file and of how it was read, of the last entry of an account only.
-- `refusal` says why an import cannot be taken back; NULL: what it replaced is in replaced_records.
CREATE TABLE import_history (
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id  INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  at          INTEGER NOT NULL CHECK (at BETWEEN 0 AND 8640000000000000),
  action      TEXT    NOT NULL CHECK (action IN ('import', 'undo')),
  who         TEXT    NOT NULL,
  file        TEXT    NOT NULL,
  has_changed INTEGER NOT NULL CHECK (has_changed IN (0, 1)),
  counts      TEXT    NOT NULL,
  revision    INTEGER NOT NULL,
  state       TEXT    NOT NULL,
  input       TEXT,
  refusal     TEXT    CHECK (refusal IN ('tokens', 'size', 'changed', 'undone'))
) STRICT;
CREATE INDEX import_history_of_account ON import_history (account_id, id);
CREATE INDEX import_history_by_input ON import_history (input) WHERE input IS NOT NULL;

-- What the last import of an account replaced, compressed.
CREATE TABLE replaced_records (
  entry_id INTEGER NOT NULL REFERENCES import_history ON DELETE CASCADE,
  piece    INTEGER NOT NULL,
  content  BLOB    NOT NULL,
  PRIMARY KEY (entry_id, piece)
) STRICT;
