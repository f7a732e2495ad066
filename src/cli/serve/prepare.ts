/**
 * Prepares the database for `serve`: brings the schema up to date, once for all workers, and adds the demo account.
 *
 * PostgreSQL may be away when the service starts, as it may go away later. The service then listens all the same,
 * answers what it can, and tries again here until the database is there. What no further attempt would change, such as a
 * wrong password or a newer schema, ends the service, even if it is found out later: a service that can never answer
 * should not look as if it ran.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { isTemporary, StoreFailure } from '../../store/failure.ts';
import { describeDatabase, parseDatabaseUrl } from '../../store/open.ts';
import { withStore } from '../options.ts';
import { warn } from '../print.ts';
import type { ServeOptions } from './options.ts';

type Prepared = Pick<ServeOptions, 'database' | 'demo'>;

export interface Preparation {
  /** The names of the accounts; undefined if there is trouble. Rejects as `done` does. */
  readonly soon: Promise<{ readonly accounts: Accounts } | undefined>;
  /** The names of the accounts, however long it takes. Rejects if trying again would not help. */
  readonly done: Promise<Accounts>;
  /** Calls `listener` with what the trouble is, again whenever it is another one, and else once a minute. */
  onTrouble(listener: (sentence: string) => void): void;
  /** Ends the attempts. */
  giveUp(): void;
}

/** undefined for a database of a newer version, of which only the feed can be read. */
type Accounts = readonly string[] | undefined;

/** A database that takes longer is not waited for: a migration may take minutes. */
const PATIENCE_MS = 5_000;
const PAUSE_MS = 1_000;
/** How often the same trouble is told: it may be one that only an administrator can mend. */
const TELL_AGAIN_MS = 60_000;

export function prepare(options: Prepared): Preparation {
  const givenUp = new AbortController();
  const troubled = Promise.withResolvers<undefined>();
  let trouble: string | undefined;
  let toldAtMs = 0;
  let listener = (_sentence: string): void => undefined;

  function tell(sentence: string): void {
    const nowMs = performance.now();
    if (sentence === trouble && nowMs - toldAtMs < TELL_AGAIN_MS) return;
    trouble = sentence;
    toldAtMs = nowMs;
    listener(sentence);
    troubled.resolve(undefined);
  }

  const done = tryUntilDone(options, tell, givenUp.signal);
  // Whoever waits for it is told. Until somebody does, it must not end the process.
  done.catch(() => undefined);
  const limit = mayBeAway(options) ? setTimeout(() => tell(notYet(options)), PATIENCE_MS) : undefined;
  const soon = Promise.race([done.then((accounts) => ({ accounts })), troubled.promise]);
  return {
    soon: soon.finally(() => clearTimeout(limit)),
    done,
    onTrouble(given) {
      listener = given;
      if (trouble !== undefined) given(trouble);
    },
    giveUp: () => givenUp.abort(),
  };
}

/** A server cannot open a SQLite file that is not prepared, so that is waited for. */
function mayBeAway({ database }: Prepared): boolean {
  return parseDatabaseUrl(database).kind === 'postgres';
}

function notYet({ database }: Prepared): string {
  return `The database ${describeDatabase(database)} is not ready yet.`;
}

async function tryUntilDone(
  options: Prepared,
  tell: (trouble: string) => void,
  signal: AbortSignal,
): Promise<Accounts> {
  for (;;) {
    try {
      return await prepareOnce(options);
    } catch (error) {
      // During an upgrade, a server of the version before may have to start again. The demo account would be a write.
      if (error instanceof StoreFailure && error.kind === 'newer' && !options.demo) {
        warn(`${error.message} Until then, this one still serves what it reads there.`);
        return undefined;
      }
      if (!mayBeAway(options) || !isTemporary(error)) throw error;
      tell(error.message);
    }
    await pause(PAUSE_MS, undefined, { signal });
  }
}

function prepareOnce({ database, demo: wantsDemo }: Prepared): Promise<string[]> {
  return withStore(database, { missing: 'create' }, async (store) => {
    // Loaded on demand: only `--demo` imports an account.
    if (wantsDemo) await (await import('./demo.ts')).addDemoAccount(store);
    return (await store.accounts()).map(({ slug }) => slug);
  });
}
