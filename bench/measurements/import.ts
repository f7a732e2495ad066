/**
 * Imports of whole files by the command line: how many rows a second, in how much memory, beside the fastest plain way
 * into the same database; and how long it takes when nothing has changed.
 */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Client } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { type FileFormat, writeImportFile } from '../accounts.ts';
import type { AimName } from '../aims.ts';
import type { Field } from '../field.ts';
import { brief, sampleOf, whole } from '../numbers.ts';
import { note, runToEnd, SHIFTFEED } from '../processes.ts';
import type { Report } from '../report.ts';
import { seconds } from '../rounds.ts';

/** How many rows, and how often each is measured. */
const SIZES = [
  { rows: 100_000, rounds: 3 },
  { rows: 1_000_000, rounds: 2 },
];
const YEARS = 3;
const FORMATS: readonly FileFormat[] = ['json', 'csv'];

/** One import of each kind. */
interface Round {
  readonly firstSeconds: number;
  readonly againSeconds: number;
  readonly peakMb: number;
  readonly plainSeconds: number;
}

export async function measureImport(field: Field, report: Report): Promise<void> {
  report.text(
    '`shiftfeed import` of a file into an empty database, and again with nothing changed, from the start of the process to its end, on all cores. ' +
      'Beside it, the fastest plain way for the same rows: a prepared insert in a loop on SQLite and `COPY` on PostgreSQL, into a table with the same constraints and ' +
      'indexes but without foreign keys and triggers, of rows that are in memory already. Each is the median of three rounds, or the mean of two for a million rows. Peak memory is that of the process of the import.',
  );
  const addRow = report.table(
    'file | database | rows | import, rows/s | plain, rows/s | import to plain | again, rows/s | again to first | peak memory',
  );
  const found: (Round & { readonly rows: number; readonly of: string })[] = [];
  const postgres = await startPostgres();
  const importInto = {
    SQLite: (file: string, slug: string) => importIntoSqlite(join(field.folder, 'import.db'), file, slug),
    PostgreSQL: (file: string, slug: string) => importIntoPostgres(postgres.url, file, slug),
  };
  try {
    for (const { rows: wanted, rounds } of field.settings.isQuick ? [{ rows: 100_000, rounds: 1 }] : SIZES) {
      for (const format of FORMATS) {
        const slug = `rows-${wanted}`;
        const file = join(field.folder, `import.${format}`);
        const rows = await writeImportFile(file, format, { slug, shiftsPerYear: wanted / YEARS });
        for (const kind of ['SQLite', 'PostgreSQL'] as const) {
          note(`Import: ${format} of ${whole(rows)} rows into ${kind}`);
          const measured: Round[] = [];
          for (let round = 0; round < rounds; round++) measured.push(await importInto[kind](file, slug));
          const round = medianOf(measured);
          const { firstSeconds, againSeconds, plainSeconds, peakMb } = round;
          addRow(
            ...[format.toUpperCase(), kind, whole(rows)],
            ...[whole(rows / firstSeconds), whole(rows / plainSeconds), brief(plainSeconds / firstSeconds)],
            ...[whole(rows / againSeconds), brief(firstSeconds / againSeconds), `${whole(peakMb)} MB`],
          );
          found.push({ ...round, rows, of: `${format} of ${whole(rows)} rows, ${kind}` });
        }
        await rm(file);
      }
    }
  } finally {
    await postgres.remove();
  }
  const most = Math.max(...found.map(({ rows }) => rows));
  const large = found.filter(({ rows }) => rows === most);
  function worst(aim: AimName, some: typeof found, measured: (round: Round) => number): void {
    const values = some.map((round) => ({ value: measured(round), of: round.of }));
    report.worst(aim, values);
  }
  worst('importToPlain', large, ({ plainSeconds, firstSeconds }) => plainSeconds / firstSeconds);
  worst('importAgain', large, ({ firstSeconds, againSeconds }) => firstSeconds / againSeconds);
  worst('importMemory', found, ({ peakMb }) => peakMb);
}

function medianOf(rounds: readonly Round[]): Round {
  const median = (of: keyof Round) => sampleOf(rounds.map((round) => round[of])).median;
  return {
    firstSeconds: median('firstSeconds'),
    againSeconds: median('againSeconds'),
    plainSeconds: median('plainSeconds'),
    peakMb: Math.max(...rounds.map(({ peakMb }) => peakMb)),
  };
}

async function importIntoSqlite(path: string, file: string, slug: string): Promise<Round> {
  const times = await importTwice(`sqlite:${path}`, file, slug);
  const plainSeconds = insertLoop(path, slug);
  for (const name of [path, `${path}-wal`, `${path}-shm`]) await rm(name, { force: true });
  return { ...times, plainSeconds };
}

async function importIntoPostgres(url: string, file: string, slug: string): Promise<Round> {
  const times = await importTwice(url, file, slug);
  const plainSeconds = await plainCopy(url, slug);
  const client = new Client(url);
  await client.connect();
  await client.query('DROP SCHEMA shiftfeed CASCADE');
  await client.end();
  return { ...times, plainSeconds };
}

async function importTwice(url: string, file: string, slug: string) {
  const command = ['import', file, '--account', slug, '--database', url, '--quiet'];
  const first = await runToEnd(SHIFTFEED, command);
  const again = await runToEnd(SHIFTFEED, command);
  const peakMb = Math.max(first.peakMb, again.peakMb);
  return { firstSeconds: first.seconds, againSeconds: again.seconds, peakMb };
}

/**
 * The rows of an account, written again by a prepared statement in a loop, into a table with the same columns,
 * constraints and indexes, without triggers and foreign keys. In one transaction, as an import is.
 */
function insertLoop(path: string, slug: string): number {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  database.exec('PRAGMA cache_size = -65536');
  for (const { name } of database.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").all()) {
    database.exec(`DROP TRIGGER ${name}`);
  }
  const rows = database
    .prepare('SELECT * FROM shifts WHERE account_id = (SELECT id FROM accounts WHERE slug = ?) ORDER BY id')
    .all(slug)
    .map((row) => Object.values(row));
  const width = rows[0]?.length ?? 0;
  database.exec('DELETE FROM shifts; PRAGMA wal_checkpoint(TRUNCATE)');
  const insert = database.prepare(`INSERT INTO shifts VALUES (${Array(width).fill('?').join()})`);
  const started = performance.now();
  database.exec('BEGIN');
  for (const row of rows) insert.run(...row);
  database.exec('COMMIT');
  const time = (performance.now() - started) / 1_000;
  database.close();
  return time;
}

/** The same by COPY, into a table with the same columns, constraints and indexes, without triggers and foreign keys. */
async function plainCopy(url: string, slug: string): Promise<number> {
  const client = new Client(url);
  await client.connect();
  const { rows } = await client.query({
    text: 'SELECT shifts::text FROM shiftfeed.shifts WHERE account_id = (SELECT id FROM shiftfeed.accounts WHERE slug = $1)',
    values: [slug],
    rowMode: 'array',
  });
  const lines = rows.map(([row]) => `${row.slice(1, -1)}\n`);
  await client.query('CREATE TABLE copied (LIKE shiftfeed.shifts INCLUDING ALL)');
  const time = await seconds(() =>
    pipeline(Readable.from(pieces(lines)), client.query(copyFrom('COPY copied FROM STDIN (FORMAT csv)'))),
  );
  await client.query('DROP TABLE copied');
  await client.end();
  return time;
}

const LINES_PER_PIECE = 1_000;

function* pieces(lines: readonly string[]): Generator<string> {
  for (let i = 0; i < lines.length; i += LINES_PER_PIECE) yield lines.slice(i, i + LINES_PER_PIECE).join('');
}
