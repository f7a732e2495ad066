/**
 * Imports of whole files by the command line: how many rows a second, in how much memory, beside the fastest plain way
 * into the same database; and how long it takes when nothing has changed.
 */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { startPostgres } from '../../test/support/postgres-server.ts';
import { type FileFormat, writeImportFile } from '../data/import-files.ts';
import type { AccountPlan } from '../data/shifts.ts';
import type { Field } from '../field.ts';
import { insertLoop, plainCopy } from '../peers/bare-writes.ts';
import { runToEnd } from '../processes.ts';
import { note } from '../progress.ts';
import { brief, whole } from '../report/format.ts';
import { type Section, worst } from '../report/section.ts';
import { sampleOf } from '../sample.ts';

/** How many rows, and how often each is measured. */
const SIZES: readonly Size[] = [
  { rows: 100_000, rounds: 3 },
  { rows: 1_000_000, rounds: 2 },
];
const SIZES_WHEN_QUICK: readonly Size[] = [{ rows: 100_000, rounds: 1 }];
const YEARS = 3;
const FORMATS: readonly FileFormat[] = ['json', 'csv'];

interface Size {
  readonly rows: number;
  readonly rounds: number;
}

/** One import of each kind. */
interface Round {
  readonly firstSeconds: number;
  readonly againSeconds: number;
  readonly peakMb: number;
  readonly bareSeconds: number;
}

interface Run extends Round {
  readonly database: 'SQLite' | 'PostgreSQL';
  readonly format: FileFormat;
  readonly rows: number;
}

export async function measureImport(field: Field): Promise<Section> {
  const runs: Run[] = [];
  const postgres = await startPostgres();
  try {
    for (const { rows, rounds } of field.settings.isQuick ? SIZES_WHEN_QUICK : SIZES) {
      for (const format of FORMATS) {
        const plan = { slug: `rows-${rows}`, shiftsPerYear: rows / YEARS, number: 1 };
        const file = join(field.folder, `import.${format}`);
        const count = await writeImportFile(file, format, plan, field.today);
        const inRounds = async (database: Run['database'], measure: () => Promise<Round>): Promise<Run> => {
          note(`Import: ${format} of ${whole(rows)} rows into ${database}`);
          const measured: Round[] = [];
          for (let round = 0; round < rounds; round++) measured.push(await measure());
          return { database, format, rows: count, ...typicalOf(measured) };
        };
        runs.push(await inRounds('SQLite', () => importIntoSqlite(field, file, plan)));
        runs.push(await inRounds('PostgreSQL', () => importIntoPostgres(postgres.url, file, plan)));
        await rm(file);
      }
    }
  } finally {
    await postgres.remove();
  }
  return sectionOf(runs);
}

function typicalOf(rounds: readonly Round[]): Round {
  const median = (of: (round: Round) => number) => sampleOf(rounds.map(of)).median;
  return {
    firstSeconds: median(({ firstSeconds }) => firstSeconds),
    againSeconds: median(({ againSeconds }) => againSeconds),
    bareSeconds: median(({ bareSeconds }) => bareSeconds),
    peakMb: Math.max(...rounds.map(({ peakMb }) => peakMb)),
  };
}

async function importIntoSqlite(field: Field, file: string, plan: AccountPlan): Promise<Round> {
  const path = join(field.folder, 'import.db');
  const times = await importTwice(`sqlite:${path}`, file, plan);
  const bareSeconds = insertLoop(path, plan.slug);
  for (const name of [path, `${path}-wal`, `${path}-shm`]) await rm(name, { force: true });
  return { ...times, bareSeconds };
}

async function importIntoPostgres(url: string, file: string, plan: AccountPlan): Promise<Round> {
  const times = await importTwice(url, file, plan);
  const bareSeconds = await plainCopy(url, plan.slug);
  const client = new Client(url);
  await client.connect();
  await client.query('DROP SCHEMA shiftfeed CASCADE');
  await client.end();
  return { ...times, bareSeconds };
}

async function importTwice(url: string, file: string, { slug }: AccountPlan) {
  const command = ['import', file, '--account', slug, '--database', url, '--quiet'];
  const first = await runToEnd('../bin/shiftfeed.js', command);
  const again = await runToEnd('../bin/shiftfeed.js', command);
  return {
    firstSeconds: first.seconds,
    againSeconds: again.seconds,
    peakMb: Math.max(first.peakMb, again.peakMb),
  };
}

function sectionOf(runs: readonly Run[]): Section {
  const nameOf = ({ database, format, rows }: Run) => `${format} of ${whole(rows)} rows, ${database}`;
  const large = runs.filter(({ rows }) => rows > 200_000);
  const judged = large.length > 0 ? large : runs;
  return {
    title: 'Imports',
    text:
      '`shiftfeed import` of a file into an empty database, and again with nothing changed, from the start of the process to its end, on all cores. ' +
      'Beside it, the fastest plain way for the same rows: a prepared insert in a loop on SQLite and `COPY` on PostgreSQL, into a table with the same constraints and ' +
      'indexes but without foreign keys and triggers, of rows that are in memory already. Each is the median of three rounds, or the mean of two for a million rows. Peak memory is that of the process of the import.',
    tables: [
      {
        columns: [
          'file',
          'database',
          'rows',
          'import, rows/s',
          'plain, rows/s',
          'import to plain',
          'again, rows/s',
          'again to first',
          'peak memory',
        ],
        rows: runs.map(({ format, database, rows, firstSeconds, againSeconds, bareSeconds, peakMb }) => [
          format.toUpperCase(),
          database,
          whole(rows),
          whole(rows / firstSeconds),
          whole(rows / bareSeconds),
          brief(bareSeconds / firstSeconds),
          whole(rows / againSeconds),
          brief(firstSeconds / againSeconds),
          `${whole(peakMb)} MB`,
        ]),
      },
    ],
    findings: [
      worst(
        'importToPlain',
        judged.map((run) => ({ value: run.bareSeconds / run.firstSeconds, of: nameOf(run) })),
        'lowest',
      ),
      worst(
        'importAgain',
        judged.map((run) => ({ value: run.firstSeconds / run.againSeconds, of: nameOf(run) })),
        'lowest',
      ),
      worst(
        'importMemory',
        runs.map((run) => ({ value: run.peakMb, of: nameOf(run) })),
        'highest',
      ),
    ],
  };
}
