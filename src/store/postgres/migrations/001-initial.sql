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

-- A token is stored as the hexadecimal SHA-256 of its text only; its hint is how the text begins. The last use is by the hour.
CREATE TABLE tokens (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id bigint NOT NULL REFERENCES accounts ON DELETE CASCADE,
  hash       text   NOT NULL UNIQUE CHECK (hash ~ '^[0-9a-f]{64}$'),
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

CREATE TABLE shifts (
  account_id   bigint  NOT NULL REFERENCES accounts ON DELETE CASCADE,
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
  FOREIGN KEY (account_id, group_id) REFERENCES groups,
  FOREIGN KEY (account_id, location_id) REFERENCES locations,
  FOREIGN KEY (account_id, person_id) REFERENCES people,
  CHECK ((end_date, end_time COLLATE "C") > (date, start_time COLLATE "C"))
);
-- A month of an account is one contiguous range of this index.
CREATE INDEX shifts_by_date ON shifts (account_id, date);
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
  FROM (SELECT DISTINCT account_id, to_char(date, 'YYYY-MM') AS month FROM added) AS touched HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE FUNCTION shifts_deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, shiftfeed, pg_temp AS $$
BEGIN
  PERFORM stamp_months(array_agg(account_id), array_agg(month))
  FROM (SELECT DISTINCT account_id, to_char(date, 'YYYY-MM') AS month FROM removed) AS touched HAVING count(*) > 0;
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

CREATE FUNCTION groups_updated() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, shiftfeed, pg_temp AS $$
BEGIN
  PERFORM lock_accounts(array_agg(account_id)) FROM (SELECT account_id, id, name, active FROM before EXCEPT SELECT account_id, id, name, active FROM after) AS changed;
  PERFORM stamp_months(array_agg(account_id), array_agg(month)) FROM (
    SELECT DISTINCT shifts.account_id, to_char(date, 'YYYY-MM') AS month
    FROM (
      (SELECT account_id, id, name, active FROM before EXCEPT SELECT account_id, id, name, active FROM after)
      UNION (SELECT account_id, id, name, active FROM after EXCEPT SELECT account_id, id, name, active FROM before)
    ) AS changed
    JOIN shifts ON shifts.account_id = changed.account_id AND group_id = changed.id
  ) AS touched HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE FUNCTION locations_updated() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, shiftfeed, pg_temp AS $$
BEGIN
  PERFORM lock_accounts(array_agg(account_id)) FROM (TABLE before EXCEPT TABLE after) AS changed;
  PERFORM stamp_months(array_agg(account_id), array_agg(month)) FROM (
    SELECT DISTINCT shifts.account_id, to_char(date, 'YYYY-MM') AS month
    FROM ((TABLE before EXCEPT TABLE after) UNION (TABLE after EXCEPT TABLE before)) AS changed
    JOIN shifts ON shifts.account_id = changed.account_id AND location_id = changed.id
  ) AS touched HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE FUNCTION people_updated() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, shiftfeed, pg_temp AS $$
BEGIN
  PERFORM lock_accounts(array_agg(account_id)) FROM (TABLE before EXCEPT TABLE after) AS changed;
  PERFORM stamp_months(array_agg(account_id), array_agg(month)) FROM (
    SELECT DISTINCT shifts.account_id, to_char(date, 'YYYY-MM') AS month
    FROM ((TABLE before EXCEPT TABLE after) UNION (TABLE after EXCEPT TABLE before)) AS changed
    JOIN shifts ON shifts.account_id = changed.account_id AND person_id = changed.id
  ) AS touched HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE TRIGGER groups_updated AFTER UPDATE ON groups
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION groups_updated();
CREATE TRIGGER locations_updated AFTER UPDATE ON locations
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION locations_updated();
CREATE TRIGGER people_updated AFTER UPDATE ON people
  REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION people_updated();

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

REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA shiftfeed FROM PUBLIC;
