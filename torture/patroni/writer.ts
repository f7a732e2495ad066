/** Somebody who imports numbered changes, one after the other, and notes which of them the command line said are done. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Cleanup, newFolder } from '../../test/support/database.ts';
import { acme, shift } from '../../test/support/document.ts';
import { type RunCommand, startOtherProcess } from '../../test/support/other-process.ts';
import { shiftsOf } from '../away/scene.ts';

export interface Change {
  readonly number: number;
  /** When the command said that it is done; undefined if it failed, so that nobody knows. */
  readonly doneMs: number | undefined;
}

export type Writer = Awaited<ReturnType<typeof startWriter>>;

/** Each change also adds a shift with its number, beyond the months of the others: what is missing there later was lost. */
const FIRST_ENTRY = 1_000;
export const ENTRIES_SINCE = (number: number) =>
  `SELECT remarks::int AS number FROM shiftfeed.shifts WHERE id >= ${FIRST_ENTRY + number}`;

const PAUSE_MS = 50;
/** A command that waits for a server that hangs is ended, as a person would. */
const PATIENCE_MS = 6_000;

export async function startWriter(context: Cleanup, databaseUrl: string) {
  const file = join(await newFolder(context), 'plan.json');
  const changes: Change[] = [];
  const complaints = new Set<string>();
  let number = 0;
  let program: Program | undefined;
  context.after(() => program?.end());

  /** Makes one change, with a number that was never used before. */
  async function change(): Promise<Change> {
    number++;
    const own = { number };
    await writeFile(file, JSON.stringify(planOf(own.number)));
    program ??= startProgram();
    const finished = await inTime(program.run(['import', file], { databaseUrl }));
    if (finished === undefined) {
      // What was sent may still be done. What was not must not be, after the next change.
      program.end();
      program = undefined;
    } else if (finished.code !== 0) complaints.add(finished.stderr.trim());
    const made = { ...own, doneMs: finished?.code === 0 ? performance.now() : undefined };
    changes.push(made);
    return made;
  }

  return {
    /** Those that are over. */
    changes: changes as readonly Change[],
    /** What commands that failed have said, each once, without numbers. */
    complaints: complaints as ReadonlySet<string>,
    change,
    async changeUntil(over: AbortSignal): Promise<void> {
      while (!over.aborted) {
        await change();
        await delay(PAUSE_MS);
      }
    },
  };
}

interface Program {
  readonly run: RunCommand;
  end(): void;
}

function startProgram(): Program {
  const endings: (() => void | Promise<void>)[] = [];
  const run = startOtherProcess({ after: (ending) => void endings.push(ending) });
  return { run, end: () => endings.forEach((ending) => void ending()) };
}

/** What comes of work, unless that takes longer than anybody waits. */
async function inTime<T>(work: Promise<T>): Promise<T | undefined> {
  const over = new AbortController();
  try {
    return await Promise.race([
      work.catch(() => undefined),
      delay(PATIENCE_MS, undefined, { signal: over.signal }),
    ]);
  } finally {
    over.abort();
  }
}

function planOf(number: number): object {
  const entry = shift('2027-06-10', { id: FIRST_ENTRY + number, remarks: String(number) });
  return acme([...shiftsOf(number), entry]);
}
