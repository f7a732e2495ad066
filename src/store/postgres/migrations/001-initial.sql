-- The same tables, constraints and revisions as on SQLite. Times are text HH:MM; instants milliseconds since
-- 1970-01-01 UTC. The constraints refuse whatever the API could not show, so that any program may write here.
--
-- Everything lies in the schema `shiftfeed`, which is the first of the search path while this runs.

CREATE TABLE accounts (
  id        bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  slug      text    NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  name      text    NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  premium   boolean NOT NULL DEFAULT false,
  time_zone text    NOT NULL DEFAULT 'UTC',
  sort      text    NOT NULL DEFAULT 'time' CHECK (sort IN ('time', 'group')),
  revision  bigint  NOT NULL DEFAULT 0 CHECK (revision BETWEEN 0 AND 9007199254740991)
);

-- A token is stored as the hexadecimal SHA-256 of its text only; its hint is how the text begins. The last use is by the hour. Tokens
-- of the role `api` are for the API. The others open the desk, and their label is who has them.
CREATE TABLE tokens (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  hash       text   NOT NULL UNIQUE CHECK (hash ~ '^[0-9a-f]{64}$'),
  role       text   NOT NULL DEFAULT 'api' CHECK (role IN ('api', 'planner', 'owner')),
  hint       text   NOT NULL DEFAULT '' CHECK (length(hint) <= 20),
  label      text   NOT NULL DEFAULT '' CHECK (length(label) <= 200),
  created_at bigint NOT NULL CHECK (created_at BETWEEN 0 AND 8640000000000000),
  expires_at bigint CHECK (expires_at BETWEEN 0 AND 8640000000000000),
  revoked_at bigint CHECK (revoked_at BETWEEN 0 AND 8640000000000000),
  last_used_at bigint CHECK (last_used_at BETWEEN 0 AND 8640000000000000)
);
CREATE INDEX tokens_of_account ON tokens (account_id);

CREATE TABLE groups (
  account_id bigint  NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id         bigint  NOT NULL CHECK (id BETWEEN 1 AND 9007199254740991),
  name       text    NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  active     boolean NOT NULL DEFAULT true,
  private    boolean NOT NULL DEFAULT false,
  PRIMARY KEY (account_id, id)
);

CREATE TABLE locations (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id         bigint NOT NULL CHECK (id BETWEEN 1 AND 9007199254740991),
  name       text   NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  address    text   NOT NULL DEFAULT '' CHECK (length(address) <= 1000),
  PRIMARY KEY (account_id, id)
);

CREATE TABLE people (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  id         bigint NOT NULL CHECK (id BETWEEN 1 AND 9007199254740991),
  name       text   NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
  PRIMARY KEY (account_id, id)
);

-- Triggers do what foreign keys would: see the end of this file.
CREATE TABLE shifts (
  account_id   bigint  NOT NULL,
  id           bigint  NOT NULL CHECK (id BETWEEN 1 AND 9007199254740991),
  date         date    NOT NULL CHECK (date BETWEEN '1000-01-01' AND '9999-12-31'),
  start_time   text    NOT NULL CHECK (start_time ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  end_time     text    NOT NULL CHECK (end_time ~ '^([01][0-9]|2[0-3]):[0-5][0-9]$'),
  end_date     date    NOT NULL CHECK (end_date <= '9999-12-31'),
  group_id     bigint  NOT NULL,
  location_id  bigint,
  person_id    bigint,
  publish_date date    NOT NULL CHECK (publish_date BETWEEN '1000-01-01' AND '9999-12-31'),
  remarks      text    NOT NULL DEFAULT '' CHECK (length(remarks) <= 10000),
  starred      boolean NOT NULL DEFAULT false,
  cancelled    boolean NOT NULL DEFAULT false,
  noshow       boolean NOT NULL DEFAULT false,
  PRIMARY KEY (account_id, id),
  CHECK ((end_date, end_time COLLATE "C") > (date, start_time COLLATE "C"))
);
-- A month of an account is one contiguous range of this index, and counting what is published needs nothing else.
CREATE INDEX shifts_to_count ON shifts (account_id, date, publish_date);
CREATE INDEX shifts_of_group ON shifts (account_id, group_id);
CREATE INDEX shifts_of_location ON shifts (account_id, location_id) WHERE location_id IS NOT NULL;
CREATE INDEX shifts_of_person ON shifts (account_id, person_id) WHERE person_id IS NOT NULL;

-- The revision of the account at which each month (YYYY-MM) last changed. Rows stay when a month empties.
CREATE TABLE months (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  month      text   NOT NULL COLLATE "C",
  revision   bigint NOT NULL,
  PRIMARY KEY (account_id, month)
);

-- From here on: whatever changes a listing raises the account's revision and stamps the months it touches, once
-- a statement, however many rows it has. A statement that changes nothing leaves both alone.
--
-- Each function works out which months of which accounts were touched and hands them to stamp_months. The update of
-- the account locks its row until the end of the transaction, so revisions become visible in their order.
--
-- Each function has a search path of its own: by that of the writer, a table `accounts` or `months` of the writer's,
-- a temporary one even, would be written instead, and listings would stay as they were. Temporary tables come first
-- unless they are named last. Triggers have the rights of whoever made them, so that a writer needs none on `months` or on
-- revisions; nobody else may call these functions or make triggers of them.

-- Microseconds since 1970, or one more than before. Because it follows the clock, a revision is not used again for
-- something else after a backup was restored or an account was made anew.
CREATE FUNCTION next_revision(revision bigint) RETURNS bigint LANGUAGE sql VOLATILE
  SET search_path = pg_catalog, shiftfeed, pg_temp AS $$
  SELECT greatest(revision + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
$$;

CREATE FUNCTION stamp_months(touched_accounts bigint[], touched_months text[]) RETURNS void LANGUAGE sql
  SET search_path = pg_catalog, shiftfeed, pg_temp AS $$
  WITH touched AS (
    SELECT DISTINCT account_id, month FROM unnest(touched_accounts, touched_months) AS t (account_id, month)
  ), raised AS (
    UPDATE accounts SET revision = next_revision(revision)
    WHERE id IN (SELECT account_id FROM touched) RETURNING id, revision
  )
  INSERT INTO months (account_id, month, revision)
  SELECT id, month, revision FROM touched JOIN raised ON id = account_id
  ON CONFLICT (account_id, month) DO UPDATE SET revision = excluded.revision
$$;

CREATE FUNCTION shifts_inserted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, shiftfeed, pg_temp AS $$
BEGIN
  PERFORM stamp_months(array_agg(account_id), array_agg(month))
  FROM (
    SELECT DISTINCT account_id, to_char(date, 'YYYY-MM') AS month FROM (SELECT DISTINCT account_id, date FROM added) AS days
  ) AS touched HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE FUNCTION shifts_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, shiftfeed, pg_temp AS $$
BEGIN
  PERFORM stamp_months(array_agg(account_id), array_agg(month))
  FROM (
    SELECT DISTINCT account_id, to_char(date, 'YYYY-MM') AS month FROM (SELECT DISTINCT account_id, date FROM removed) AS days
  ) AS touched HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE FUNCTION shifts_updated() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, shiftfeed, pg_temp AS $$
BEGIN
  PERFORM stamp_months(array_agg(account_id), array_agg(month)) FROM (
    SELECT DISTINCT account_id, to_char(date, 'YYYY-MM') AS month FROM (
      (TABLE before EXCEPT TABLE after) UNION ALL (TABLE after EXCEPT TABLE before)
    ) AS changed
  ) AS touched HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE FUNCTION shifts_truncated() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, shiftfeed, pg_temp AS $$
BEGIN
  PERFORM stamp_months(array_agg(account_id), array_agg(month)) FROM months HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE TRIGGER shifts_inserted AFTER INSERT ON shifts
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION shifts_inserted();
CREATE TRIGGER shifts_deleted AFTER DELETE ON shifts
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION shifts_deleted();
CREATE TRIGGER shifts_updated AFTER UPDATE ON shifts
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION shifts_updated();
CREATE TRIGGER shifts_truncated AFTER TRUNCATE ON shifts
  FOR EACH STATEMENT EXECUTE FUNCTION shifts_truncated();

-- A group, location or person touches the months of its shifts. New ones have none yet. The account is locked before
-- its shifts are looked at: who adds a shift at the same moment has then either committed it, or stamps it later.

CREATE FUNCTION lock_accounts(ids bigint[]) RETURNS void LANGUAGE sql
  SET search_path = pg_catalog, shiftfeed, pg_temp AS $$
  SELECT FROM accounts WHERE id = ANY (ids) ORDER BY id FOR NO KEY UPDATE
$$;

-- Its arguments are the column of shifts that refers to the table, and the columns that listings show.
CREATE FUNCTION referred_updated() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, shiftfeed, pg_temp AS $$
DECLARE
  earlier text := format('SELECT %1$s FROM before EXCEPT SELECT %1$s FROM after', TG_ARGV[1]);
  later text := format('SELECT %1$s FROM after EXCEPT SELECT %1$s FROM before', TG_ARGV[1]);
BEGIN
  EXECUTE format('SELECT lock_accounts(array_agg(account_id)) FROM (%s) AS changed', earlier);
  EXECUTE format('SELECT stamp_months(array_agg(account_id), array_agg(month)) FROM (
    SELECT DISTINCT shifts.account_id, to_char(date, ''YYYY-MM'') AS month FROM ((%s) UNION (%s)) AS changed
    JOIN shifts ON shifts.account_id = changed.account_id AND %I = changed.id
  ) AS touched HAVING count(*) > 0', earlier, later, TG_ARGV[0]);
  RETURN NULL;
END $$;

CREATE TRIGGER groups_updated AFTER UPDATE ON groups REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION referred_updated('group_id', 'account_id, id, name, active');
CREATE TRIGGER locations_updated AFTER UPDATE ON locations REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION referred_updated('location_id', 'account_id, id, name, address');
CREATE TRIGGER people_updated AFTER UPDATE ON people REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION referred_updated('person_id', 'account_id, id, name');

-- The order is part of every block of the account; the time zone only moves "today".

CREATE FUNCTION accounts_reordered() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, shiftfeed, pg_temp AS $$
BEGIN
  UPDATE accounts SET revision = next_revision(revision) WHERE id = NEW.id;
  UPDATE months SET revision = (SELECT revision FROM accounts WHERE id = NEW.id) WHERE account_id = NEW.id;
  RETURN NULL;
END $$;

CREATE FUNCTION accounts_moved() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, shiftfeed, pg_temp AS $$
BEGIN
  UPDATE accounts SET revision = next_revision(revision) WHERE id = NEW.id;
  RETURN NULL;
END $$;

CREATE TRIGGER accounts_reordered AFTER UPDATE OF sort ON accounts
  FOR EACH ROW WHEN (OLD.sort <> NEW.sort) EXECUTE FUNCTION accounts_reordered();
CREATE TRIGGER accounts_moved AFTER UPDATE OF time_zone ON accounts
  FOR EACH ROW WHEN (OLD.time_zone <> NEW.time_zone) EXECUTE FUNCTION accounts_moved();

-- From here on: shifts refer to nothing that is not there. Foreign keys would look up each row by itself, four times,
-- which takes more than half of a large insert. These triggers look up all rows of a statement at once.
--
-- They are as safe. Whoever writes a shift updates its account, to stamp it, and so does whoever removes what shifts may
-- refer to, each before it looks. So one of two transactions waits for the other, and then sees what that has done. One
-- that may not see it, because it is REPEATABLE READ, cannot update the account any more, and fails.

-- A session keeps the plan of its first statement, and the next may have a million rows more or less. What is looked up
-- is little in any case, so it is always looked up by the primary keys.

CREATE FUNCTION references_exist() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, shiftfeed, pg_temp
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  wrong record;
BEGIN
  SELECT account_id, shift_id, 'group' AS noun, group_id AS lacking INTO wrong
    FROM (SELECT account_id, group_id, min(id) AS shift_id FROM written GROUP BY 1, 2) AS used
    WHERE NOT EXISTS (SELECT FROM groups WHERE account_id = used.account_id AND id = group_id) LIMIT 1;
  IF NOT FOUND THEN
    SELECT account_id, shift_id, 'location' AS noun, location_id AS lacking INTO wrong
      FROM (SELECT account_id, location_id, min(id) AS shift_id FROM written WHERE location_id IS NOT NULL GROUP BY 1, 2) AS used
      WHERE NOT EXISTS (SELECT FROM locations WHERE account_id = used.account_id AND id = location_id) LIMIT 1;
  END IF;
  IF NOT FOUND THEN
    SELECT account_id, shift_id, 'person' AS noun, person_id AS lacking INTO wrong
      FROM (SELECT account_id, person_id, min(id) AS shift_id FROM written WHERE person_id IS NOT NULL GROUP BY 1, 2) AS used
      WHERE NOT EXISTS (SELECT FROM people WHERE account_id = used.account_id AND id = person_id) LIMIT 1;
  END IF;
  IF FOUND THEN
    RAISE foreign_key_violation USING
      MESSAGE = format('shift %s of account %s violates a foreign key: there is no %s %s',
                       wrong.shift_id, wrong.account_id, wrong.noun, wrong.lacking),
      SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME, COLUMN = wrong.noun || '_id';
  END IF;
  RETURN NULL;
END $$;

-- Triggers run in the order of their names: these come after shifts_inserted and shifts_updated, which update the account.
CREATE TRIGGER shifts_inserted_with_references AFTER INSERT ON shifts
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION references_exist();
CREATE TRIGGER shifts_updated_with_references AFTER UPDATE ON shifts
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION references_exist();

-- Its argument is the column of shifts that refers to the table. The shifts of an account that is itself removed go with it.

CREATE FUNCTION references_remain() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, shiftfeed, pg_temp AS $$
DECLARE
  wrong record;
BEGIN
  EXECUTE format('UPDATE accounts SET revision = revision WHERE id IN (SELECT account_id FROM gone
    WHERE NOT EXISTS (SELECT FROM %I AS kept WHERE kept.account_id = gone.account_id AND kept.id = gone.id))', TG_TABLE_NAME);
  EXECUTE format('SELECT shifts.account_id, shifts.id, gone.id AS lacking FROM gone
    JOIN accounts ON accounts.id = gone.account_id
    JOIN shifts ON shifts.account_id = gone.account_id AND shifts.%I = gone.id
    WHERE NOT EXISTS (SELECT FROM %I AS kept WHERE kept.account_id = gone.account_id AND kept.id = gone.id)
    LIMIT 1', TG_ARGV[0], TG_TABLE_NAME) INTO wrong;
  IF wrong IS NOT NULL THEN
    RAISE foreign_key_violation USING
      MESSAGE = format('removing %s %s of account %s violates a foreign key: shift %s has it',
                       replace(TG_ARGV[0], '_id', ''), wrong.lacking, wrong.account_id, wrong.id),
      SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER references_to_deleted_groups AFTER DELETE ON groups
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION references_remain('group_id');
CREATE TRIGGER references_to_updated_groups AFTER UPDATE ON groups
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION references_remain('group_id');
CREATE TRIGGER references_to_deleted_locations AFTER DELETE ON locations
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION references_remain('location_id');
CREATE TRIGGER references_to_updated_locations AFTER UPDATE ON locations
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION references_remain('location_id');
CREATE TRIGGER references_to_deleted_people AFTER DELETE ON people
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION references_remain('person_id');
CREATE TRIGGER references_to_updated_people AFTER UPDATE ON people
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION references_remain('person_id');

CREATE FUNCTION references_truncated() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, shiftfeed, pg_temp AS $$
DECLARE
  is_used boolean;
BEGIN
  -- Another one may not see shifts that are there.
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE feature_not_supported USING
      MESSAGE = format('%s can be truncated by a READ COMMITTED transaction only', TG_TABLE_NAME);
  END IF;
  EXECUTE format('SELECT EXISTS (SELECT FROM shifts WHERE %I IS NOT NULL)', TG_ARGV[0]) INTO is_used;
  IF is_used THEN
    RAISE foreign_key_violation USING
      MESSAGE = format('truncating %s violates a foreign key: shifts have them', TG_TABLE_NAME),
      SCHEMA = TG_TABLE_SCHEMA, TABLE = TG_TABLE_NAME;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER references_to_truncated_groups AFTER TRUNCATE ON groups
  FOR EACH STATEMENT EXECUTE FUNCTION references_truncated('group_id');
CREATE TRIGGER references_to_truncated_locations AFTER TRUNCATE ON locations
  FOR EACH STATEMENT EXECUTE FUNCTION references_truncated('location_id');
CREATE TRIGGER references_to_truncated_people AFTER TRUNCATE ON people
  FOR EACH STATEMENT EXECUTE FUNCTION references_truncated('person_id');

CREATE FUNCTION shifts_go_with_account() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, shiftfeed, pg_temp AS $$
BEGIN
  DELETE FROM shifts WHERE account_id = OLD.id;
  RETURN NULL;
END $$;

CREATE TRIGGER shifts_go_with_account AFTER DELETE ON accounts
  FOR EACH ROW EXECUTE FUNCTION shifts_go_with_account();

REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA shiftfeed FROM PUBLIC;

-- When the last import into each account succeeded. There is no trigger, because no listing changes with it.
CREATE TABLE imports (
  account_id   bigint PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  succeeded_at bigint NOT NULL CHECK (succeeded_at BETWEEN 0 AND 8640000000000000)
);

-- What was imported into each account, and taken back. There is no trigger, because no listing changes with it.
--
-- `counts` is JSON. `revision` and `state` are what the account was like afterwards: the state is a hash of what can change
-- without a new revision. `input` is a hash of the file and of how it was read, of the last entry of an account only.
-- `refusal` says why an import cannot be taken back; NULL: what it replaced is in replaced_records.
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

-- What planners answered at the desk about files of one layout, as JSON. A layout is told by a hash.
CREATE TABLE desk_layouts (
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  layout     text   NOT NULL CHECK (length(layout) <= 64),
  answers    text   NOT NULL,
  used_at    bigint NOT NULL CHECK (used_at BETWEEN 0 AND 8640000000000000),
  PRIMARY KEY (account_id, layout)
);

-- The version of the schema, and the oldest one whose servers can read it. The number tells databases of before the first
-- release apart, which had no such column; in a file of SQLite it is in the header.
CREATE TABLE schema_version (
  version        integer NOT NULL,
  reads_from     integer NOT NULL,
  application_id integer NOT NULL
);
INSERT INTO schema_version VALUES (0, 1, x'73666564'::integer);
