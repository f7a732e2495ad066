-- Dates are YYYY-MM-DD, times HH:MM, flags 0 or 1, instants milliseconds since 1970-01-01 UTC.
-- The constraints refuse whatever the API could not show, so that any program may write here.

CREATE TABLE accounts (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  slug      TEXT    NOT NULL UNIQUE
            CHECK (slug GLOB '[a-z0-9]*' AND slug NOT GLOB '*[^a-z0-9-]*' AND length(slug) <= 63),
  name      TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  premium   INTEGER NOT NULL DEFAULT 0 CHECK (premium IN (0, 1)),
  time_zone TEXT    NOT NULL DEFAULT 'UTC',
  sort      TEXT    NOT NULL DEFAULT 'time' CHECK (sort IN ('time', 'group')),
  revision  INTEGER NOT NULL DEFAULT 0 CHECK (revision BETWEEN 0 AND 9007199254740991)
) STRICT;

-- A token is stored as the hexadecimal SHA-256 of its text only; its hint is how the text begins. The last use is by the hour. Tokens
-- of the role `api` are for the API. The others open the desk, and their label is who has them.
CREATE TABLE tokens (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  hash       TEXT    NOT NULL UNIQUE CHECK (length(hash) = 64 AND hash NOT GLOB '*[^0-9a-f]*'),
  role       TEXT    NOT NULL DEFAULT 'api' CHECK (role IN ('api', 'planner', 'owner')),
  hint       TEXT    NOT NULL DEFAULT '' CHECK (length(hint) <= 20),
  label      TEXT    NOT NULL DEFAULT '' CHECK (length(label) <= 200),
  created_at INTEGER NOT NULL CHECK (created_at BETWEEN 0 AND 8640000000000000),
  expires_at INTEGER CHECK (expires_at BETWEEN 0 AND 8640000000000000),
  revoked_at INTEGER CHECK (revoked_at BETWEEN 0 AND 8640000000000000),
  last_used_at INTEGER CHECK (last_used_at BETWEEN 0 AND 8640000000000000)
) STRICT;
CREATE INDEX tokens_of_account ON tokens (account_id);

CREATE TABLE groups (
  account_id INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id         INTEGER NOT NULL CHECK (id BETWEEN 1 AND 9007199254740991),
  name       TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  active     INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
  private    INTEGER NOT NULL DEFAULT 0 CHECK (private IN (0, 1)),
  PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE locations (
  account_id INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id         INTEGER NOT NULL CHECK (id BETWEEN 1 AND 9007199254740991),
  name       TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  address    TEXT    NOT NULL DEFAULT '' CHECK (length(address) <= 1000),
  PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE people (
  account_id INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id         INTEGER NOT NULL CHECK (id BETWEEN 1 AND 9007199254740991),
  name       TEXT    NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;

-- Clustered by date, so that a month of an account is one contiguous read. In SQLite below 3.42, which other programs may
-- have, date('2027-02-30') is '2027-02-30'. Going by way of a day's number finds that it is 2 March.
CREATE TABLE shifts (
  account_id   INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id           INTEGER NOT NULL CHECK (id BETWEEN 1 AND 9007199254740991),
  date         TEXT    NOT NULL CHECK (strftime('%Y-%m-%d', julianday(date)) IS date AND date >= '1000-01-01'),
  start_time   TEXT    NOT NULL CHECK (start_time GLOB '[0-2][0-9]:[0-5][0-9]' AND start_time < '24:00'),
  end_time     TEXT    NOT NULL CHECK (end_time GLOB '[0-2][0-9]:[0-5][0-9]' AND end_time < '24:00'),
  end_date     TEXT    NOT NULL CHECK (strftime('%Y-%m-%d', julianday(end_date)) IS end_date),
  group_id     INTEGER NOT NULL,
  location_id  INTEGER,
  person_id    INTEGER,
  publish_date TEXT    NOT NULL CHECK (strftime('%Y-%m-%d', julianday(publish_date)) IS publish_date AND publish_date >= '1000-01-01'),
  remarks      TEXT    NOT NULL DEFAULT '' CHECK (length(remarks) <= 10000),
  starred      INTEGER NOT NULL DEFAULT 0 CHECK (starred IN (0, 1)),
  cancelled    INTEGER NOT NULL DEFAULT 0 CHECK (cancelled IN (0, 1)),
  noshow       INTEGER NOT NULL DEFAULT 0 CHECK (noshow IN (0, 1)),
  PRIMARY KEY (account_id, date, id),
  UNIQUE (account_id, id),
  FOREIGN KEY (account_id, group_id) REFERENCES groups,
  FOREIGN KEY (account_id, location_id) REFERENCES locations,
  FOREIGN KEY (account_id, person_id) REFERENCES people,
  CHECK (end_date || end_time > date || start_time)
) STRICT, WITHOUT ROWID;
CREATE INDEX shifts_of_group ON shifts (account_id, group_id);
CREATE INDEX shifts_of_location ON shifts (account_id, location_id) WHERE location_id IS NOT NULL;
CREATE INDEX shifts_of_person ON shifts (account_id, person_id) WHERE person_id IS NOT NULL;
-- What is published of a day is one contiguous range of this index, so that counting it looks at no row.
CREATE INDEX shifts_to_count ON shifts (account_id, date, publish_date);

-- The revision of the account at which each month (YYYY-MM) last changed. Rows stay when a month empties.
CREATE TABLE months (
  account_id INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  month      TEXT    NOT NULL,
  revision   INTEGER NOT NULL,
  PRIMARY KEY (account_id, month)
) STRICT, WITHOUT ROWID;

-- From here on: whatever changes a listing raises the account's revision and stamps the months it touches. A statement
-- that changes nothing leaves both alone. Other programs run these triggers with the SQLite that they have, so all of
-- this works from 3.37 on, the first version with STRICT.

-- A row that is inserted here raises the revision of its account and stamps the month with it; one without a month only
-- raises the revision. A revision is the time in microseconds since 1970, or one more than before: because it follows the
-- clock, it is not used again for something else after a backup was restored.

CREATE VIEW changes AS SELECT account_id, month FROM months;

CREATE TRIGGER changes_noted INSTEAD OF INSERT ON changes BEGIN
  UPDATE accounts SET revision = max(revision + 1, CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER))
    WHERE id = NEW.account_id;
  INSERT INTO months SELECT id, NEW.month, revision FROM accounts WHERE id = NEW.account_id AND NEW.month IS NOT NULL
    ON CONFLICT DO UPDATE SET revision = excluded.revision;
END;

CREATE TRIGGER shifts_inserted AFTER INSERT ON shifts BEGIN
  INSERT INTO changes VALUES (NEW.account_id, substr(NEW.date, 1, 7));
END;

CREATE TRIGGER shifts_deleted AFTER DELETE ON shifts BEGIN
  INSERT INTO changes VALUES (OLD.account_id, substr(OLD.date, 1, 7));
END;

CREATE TRIGGER shifts_updated AFTER UPDATE ON shifts
WHEN (OLD.account_id, OLD.id, OLD.date, OLD.start_time, OLD.end_time, OLD.end_date, OLD.group_id, OLD.location_id,
      OLD.person_id, OLD.publish_date, OLD.remarks, OLD.starred, OLD.cancelled, OLD.noshow)
  IS NOT (NEW.account_id, NEW.id, NEW.date, NEW.start_time, NEW.end_time, NEW.end_date, NEW.group_id,
      NEW.location_id, NEW.person_id, NEW.publish_date, NEW.remarks, NEW.starred, NEW.cancelled, NEW.noshow)
BEGIN
  INSERT INTO changes VALUES (OLD.account_id, substr(OLD.date, 1, 7)), (NEW.account_id, substr(NEW.date, 1, 7));
END;

-- OR REPLACE removes another shift of the same id, and the trigger above is not told. Its month can only be read before
-- the statement; whether the shift was removed is only known after it, because OR IGNORE would have kept it. So a trigger
-- before the statement notes the month, and one after it stamps the month. One row is enough: triggers run row by row.

CREATE TABLE shift_in_the_way (
  account_id INTEGER NOT NULL,
  id         INTEGER NOT NULL,
  month      TEXT    NOT NULL
) STRICT;

CREATE TRIGGER shifts_before_insert BEFORE INSERT ON shifts
WHEN EXISTS (SELECT 1 FROM shifts WHERE account_id = NEW.account_id AND id = NEW.id
             AND substr(date, 1, 7) <> substr(NEW.date, 1, 7))
BEGIN
  DELETE FROM shift_in_the_way;
  INSERT INTO shift_in_the_way
    SELECT account_id, id, substr(date, 1, 7) FROM shifts WHERE account_id = NEW.account_id AND id = NEW.id;
END;

CREATE TRIGGER shifts_before_update BEFORE UPDATE OF account_id, id ON shifts
WHEN (OLD.account_id, OLD.id) IS NOT (NEW.account_id, NEW.id)
BEGIN
  DELETE FROM shift_in_the_way;
  INSERT INTO shift_in_the_way
    SELECT account_id, id, substr(date, 1, 7) FROM shifts WHERE account_id = NEW.account_id AND id = NEW.id;
END;

CREATE TRIGGER shifts_replaced_by_insert AFTER INSERT ON shifts
WHEN EXISTS (SELECT 1 FROM shift_in_the_way WHERE account_id = NEW.account_id AND id = NEW.id)
BEGIN
  INSERT INTO changes SELECT account_id, month FROM shift_in_the_way;
  DELETE FROM shift_in_the_way;
END;

CREATE TRIGGER shifts_replaced_by_update AFTER UPDATE OF account_id, id ON shifts
WHEN EXISTS (SELECT 1 FROM shift_in_the_way WHERE account_id = NEW.account_id AND id = NEW.id)
BEGIN
  INSERT INTO changes SELECT account_id, month FROM shift_in_the_way;
  DELETE FROM shift_in_the_way;
END;

-- A group, location or person touches the months of its shifts. A new one has none yet, and one that goes has none
-- any more, unless OR REPLACE is used, ids are changed, or a program leaves foreign keys switched off.
--
-- One that changes may have a million shifts, so each month of the account is looked up in the index of its shifts, which
-- ends with the primary key, and so with the date.

CREATE TRIGGER groups_inserted AFTER INSERT ON groups BEGIN
  INSERT INTO changes SELECT DISTINCT account_id, substr(date, 1, 7) FROM shifts
    WHERE account_id = NEW.account_id AND group_id = NEW.id;
END;

CREATE TRIGGER groups_deleted AFTER DELETE ON groups BEGIN
  INSERT INTO changes SELECT DISTINCT account_id, substr(date, 1, 7) FROM shifts
    WHERE account_id = OLD.account_id AND group_id = OLD.id;
END;

CREATE TRIGGER groups_updated AFTER UPDATE OF account_id, id, name, active ON groups
WHEN (OLD.account_id, OLD.id, OLD.name, OLD.active) IS NOT (NEW.account_id, NEW.id, NEW.name, NEW.active)
BEGIN
  INSERT INTO changes SELECT account_id, month FROM months WHERE account_id IN (OLD.account_id, NEW.account_id) AND EXISTS (
    SELECT 1 FROM shifts WHERE account_id = months.account_id AND group_id IN (OLD.id, NEW.id)
    AND date BETWEEN month || '-01' AND month || '-31');
END;

CREATE TRIGGER locations_inserted AFTER INSERT ON locations BEGIN
  INSERT INTO changes SELECT DISTINCT account_id, substr(date, 1, 7) FROM shifts
    WHERE account_id = NEW.account_id AND location_id = NEW.id;
END;

CREATE TRIGGER locations_deleted AFTER DELETE ON locations BEGIN
  INSERT INTO changes SELECT DISTINCT account_id, substr(date, 1, 7) FROM shifts
    WHERE account_id = OLD.account_id AND location_id = OLD.id;
END;

CREATE TRIGGER locations_updated AFTER UPDATE OF account_id, id, name, address ON locations
WHEN (OLD.account_id, OLD.id, OLD.name, OLD.address) IS NOT (NEW.account_id, NEW.id, NEW.name, NEW.address)
BEGIN
  INSERT INTO changes SELECT account_id, month FROM months WHERE account_id IN (OLD.account_id, NEW.account_id) AND EXISTS (
    SELECT 1 FROM shifts WHERE account_id = months.account_id AND location_id IN (OLD.id, NEW.id)
    AND date BETWEEN month || '-01' AND month || '-31');
END;

CREATE TRIGGER people_inserted AFTER INSERT ON people BEGIN
  INSERT INTO changes SELECT DISTINCT account_id, substr(date, 1, 7) FROM shifts
    WHERE account_id = NEW.account_id AND person_id = NEW.id;
END;

CREATE TRIGGER people_deleted AFTER DELETE ON people BEGIN
  INSERT INTO changes SELECT DISTINCT account_id, substr(date, 1, 7) FROM shifts
    WHERE account_id = OLD.account_id AND person_id = OLD.id;
END;

CREATE TRIGGER people_updated AFTER UPDATE OF account_id, id, name ON people
WHEN (OLD.account_id, OLD.id, OLD.name) IS NOT (NEW.account_id, NEW.id, NEW.name)
BEGIN
  INSERT INTO changes SELECT account_id, month FROM months WHERE account_id IN (OLD.account_id, NEW.account_id) AND EXISTS (
    SELECT 1 FROM shifts WHERE account_id = months.account_id AND person_id IN (OLD.id, NEW.id)
    AND date BETWEEN month || '-01' AND month || '-31');
END;

-- The order is part of every block of the account; the time zone only moves "today".

CREATE TRIGGER accounts_reordered AFTER UPDATE OF sort ON accounts WHEN OLD.sort <> NEW.sort BEGIN
  INSERT INTO changes VALUES (NEW.id, NULL);
  UPDATE months SET revision = (SELECT revision FROM accounts WHERE id = NEW.id) WHERE account_id = NEW.id;
END;

CREATE TRIGGER accounts_moved AFTER UPDATE OF time_zone ON accounts WHEN OLD.time_zone <> NEW.time_zone BEGIN
  INSERT INTO changes VALUES (NEW.id, NULL);
END;

-- When the last import into each account succeeded. There is no trigger, because no listing changes with it.
CREATE TABLE imports (
  account_id   INTEGER NOT NULL PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  succeeded_at INTEGER NOT NULL CHECK (succeeded_at BETWEEN 0 AND 8640000000000000)
) STRICT;

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

-- What planners answered at the desk about files of one layout, as JSON. A layout is told by a hash.
CREATE TABLE desk_layouts (
  account_id INTEGER NOT NULL REFERENCES accounts ON DELETE CASCADE,
  layout     TEXT    NOT NULL CHECK (length(layout) <= 64),
  answers    TEXT    NOT NULL,
  used_at    INTEGER NOT NULL CHECK (used_at BETWEEN 0 AND 8640000000000000),
  PRIMARY KEY (account_id, layout)
) STRICT, WITHOUT ROWID;

-- The oldest version of the schema whose servers can read this one. The version itself is in the header of the file.
CREATE TABLE schema_version (reads_from INTEGER NOT NULL) STRICT;
INSERT INTO schema_version VALUES (1);

-- How many rows SQLite should expect of an account (500), and of a day, group, location or person in it (100). Left to itself, it
-- expects ten of an account, and would rather read all of its shifts than an index when a group, location or person is removed.
-- Of a hundred times as many, it would list months by reading group after group.
ANALYZE shifts;
INSERT INTO sqlite_stat1 VALUES
  ('shifts', 'shifts', '1000000 500 100 1'),
  ('shifts', 'sqlite_autoindex_shifts_2', '1000000 500 1'),
  ('shifts', 'shifts_of_group', '1000000 500 100'),
  ('shifts', 'shifts_of_location', '1000000 500 100'),
  ('shifts', 'shifts_of_person', '1000000 500 100'),
  ('shifts', 'shifts_to_count', '1000000 500 100 100');
ANALYZE sqlite_schema;
