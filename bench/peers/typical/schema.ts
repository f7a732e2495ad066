/**
 * The typical service's own tables. The statements mean the same to SQLite and to PostgreSQL; rows are copied from a
 * database of Shiftfeed, so that both services list the same shifts.
 */

export const TABLES = `
  CREATE TABLE accounts (
    id      INTEGER PRIMARY KEY,
    slug    TEXT    NOT NULL UNIQUE,
    premium BOOLEAN NOT NULL
  );
  CREATE TABLE tokens (
    hash       TEXT    PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES accounts,
    expires_at BIGINT,
    revoked_at BIGINT
  );
  CREATE TABLE groups (
    id         INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES accounts,
    name       TEXT    NOT NULL,
    active     BOOLEAN NOT NULL
  );
  CREATE TABLE locations (
    id         INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES accounts,
    name       TEXT    NOT NULL,
    address    TEXT    NOT NULL
  );
  CREATE TABLE people (
    id         INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES accounts,
    name       TEXT    NOT NULL
  );
  CREATE TABLE shifts (
    id           INTEGER PRIMARY KEY,
    account_id   INTEGER NOT NULL REFERENCES accounts,
    date         DATE    NOT NULL,
    start_time   TEXT    NOT NULL,
    end_time     TEXT    NOT NULL,
    end_date     DATE    NOT NULL,
    group_id     INTEGER NOT NULL REFERENCES groups,
    location_id  INTEGER REFERENCES locations,
    person_id    INTEGER REFERENCES people,
    publish_date DATE    NOT NULL,
    remarks      TEXT    NOT NULL,
    starred      BOOLEAN NOT NULL,
    cancelled    BOOLEAN NOT NULL,
    noshow       BOOLEAN NOT NULL
  );`;

/** Each holds every column that a filter or the order looks at: counting and finding ids read nothing else. */
export const INDEXES = `
  CREATE INDEX groups_of_account ON groups (account_id, active);
  CREATE INDEX shifts_in_order ON shifts (account_id, date, start_time, id, publish_date, group_id);
  CREATE INDEX shifts_of_group ON shifts (account_id, group_id, date, start_time, id, publish_date);`;

/** @param source the schema, or the attached database, that holds the tables of Shiftfeed */
export function copyFrom(source: string): string {
  return `
    INSERT INTO accounts SELECT id, slug, premium FROM ${source}.accounts;
    INSERT INTO tokens SELECT hash, account_id, expires_at, revoked_at FROM ${source}.tokens;
    INSERT INTO groups SELECT id, account_id, name, active FROM ${source}.groups;
    INSERT INTO locations SELECT id, account_id, name, address FROM ${source}.locations;
    INSERT INTO people SELECT id, account_id, name FROM ${source}.people;
    INSERT INTO shifts
      SELECT id, account_id, date, start_time, end_time, end_date, group_id, location_id, person_id, publish_date,
        remarks, starred, cancelled, noshow
      FROM ${source}.shifts ORDER BY account_id, id;`;
}
