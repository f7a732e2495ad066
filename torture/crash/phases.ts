/** Loaded into an import before it starts: says on standard error which phase it enters, so that it can be killed there. */

import { writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { PHASE_MARK, type Phase } from './phase.ts';

let last: Phase | undefined;

function enter(phase: Phase): void {
  if (phase === last) return;
  last = phase;
  writeSync(2, `${PHASE_MARK}${phase}\n`);
}

function notice(statement: string): void {
  if (/^CREATE TEMP TABLE .*_given |^COPY /.test(statement)) enter('reading');
  else if (last === 'reading' && isWrite(statement)) enter('merging');
  else if (/^COMMIT/.test(statement) && last !== 'reading' && last !== undefined) enter('committing');
}

function isWrite(statement: string): boolean {
  return /^BEGIN IMMEDIATE|FOR (NO KEY )?UPDATE|^(WITH .*)?(INSERT INTO|UPDATE|DELETE FROM) shiftfeed\./s.test(
    statement,
  );
}

const { exec } = DatabaseSync.prototype;
DatabaseSync.prototype.exec = function (sql) {
  notice(sql);
  exec.call(this, sql);
};

const { query } = pg.Client.prototype;
pg.Client.prototype.query = function (this: pg.Client, ...args: unknown[]) {
  const [first] = args as [string | { text?: string }];
  notice((typeof first === 'string' ? first : (first?.text ?? '')).trim());
  return Reflect.apply(query, this, args);
} as typeof query;
