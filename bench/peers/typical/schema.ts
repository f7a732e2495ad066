/**
 * The typical service's own tables, filled from a database of Shiftfeed, so that both services list the same shifts.
 * The statements mean the same to SQLite and to PostgreSQL.
 */

import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';

const TABLES = `
  CREATE TABLE accounts (id INTEGER PRIMARY KEY, slug TEXT NOT NULL UNIQUE, premium BOOLEAN NOT NULL);
  CREATE TABLE tokens (
    hash TEXT PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES accounts, expires_at BIGINT, revoked_at BIGINT
  );
  CREATE TABLE groups (
    id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES accounts, name TEXT NOT NULL, active BOOLEAN NOT NULL
  );
  CREATE TABLE locations (
    id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES accounts, name TEXT NOT NULL, address TEXT NOT NULL
  );
  CREATE TABLE people (
    id INTEGER PRIMARY KEY, account_id INTEGER NOT NULL REFERENCES accounts, name TEXT NOT NULL
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
const INDEXES = `
  CREATE INDEX groups_of_account ON groups (account_id, active);
  CREATE INDEX shifts_in_order ON shifts (account_id, date, start_time, id, publish_date, group_id);
  CREATE INDEX shifts_of_group ON shifts (account_id, group_id, date, start_time, id, publish_date);`;

/** From a schema, or an attached database, that is called shiftfeed. */
const COPY = `
  INSERT INTO accounts SELECT id, slug, premium FROM shiftfeed.accounts;
  INSERT INTO tokens SELECT hash, account_id, expires_at, revoked_at FROM shiftfeed.tokens;
  INSERT INTO groups SELECT id, account_id, name, active FROM shiftfeed.groups;
  INSERT INTO locations SELECT id, account_id, name, address FROM shiftfeed.locations;
  INSERT INTO people SELECT id, account_id, name FROM shiftfeed.people;
  INSERT INTO shifts
    SELECT id, account_id, date, start_time, end_time, end_date, group_id, location_id, person_id, publish_date,
      remarks, starred, cancelled, noshow
    FROM shiftfeed.shifts ORDER BY account_id, id;`;

export function fillTypicalSqlite(path: string, shiftfeedPath: string): void {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${TABLES}`);
  database.prepare('ATTACH ? AS shiftfeed').run(shiftfeedPath);
  database.exec(`BEGIN; ${COPY} COMMIT; DETACH shiftfeed; ${INDEXES} ANALYZE`);
  database.close();
}

/** In a schema beside the tables of Shiftfeed. Returns the URL that leads to it. */
export async function fillTypicalPostgres(shiftfeedUrl: string): Promise<string> {
  const url = `${shiftfeedUrl}?options=${encodeURIComponent('-c search_path=typical')}`;
  const client = new Client(url);
  await client.connect();
  await client.query('CREATE SCHEMA typical');
  await client.query(`${TABLES} ${COPY} ${INDEXES}`);
  await client.query('VACUUM ANALYZE');
  await client.end();
  return url;
}
