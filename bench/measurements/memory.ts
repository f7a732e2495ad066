/** How much memory a server takes beyond the budget that it was given, and how many bytes a shift takes. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashToken } from '../../src/feed/access/token.ts';
import { makeFeed } from '../../src/feed/feed.ts';
import { startLoader } from '../../src/feed/loading/loader.ts';
import { civilOf, firstDayOf, type Month, monthOfDay } from '../../src/listing/calendar.ts';
import { openReader } from '../../src/store/open.ts';
import { listPage } from '../../test/support/list-page.ts';
import { fillManyAccounts } from '../data/many-accounts.ts';
import { MONTHS_AHEAD, MONTHS_BACK } from '../data/shifts.ts';
import type { Field } from '../field.ts';
import { readListing } from '../listing.ts';
import { serveShiftfeed } from '../processes.ts';
import { note } from '../progress.ts';
import { brief, whole } from '../report/format.ts';
import { type Section, worst } from '../report/section.ts';
import { HUGE, LARGE } from '../settings.ts';

const MEGABYTE = 1024 * 1024;
const ACCOUNTS = 10_000;
const SMALL_BUDGET_MB = 64;
const DEFAULT_BUDGET_MB = 256;
/** As many requests as are under way at a time. */
const READERS = 8;

interface Resident {
  readonly what: string;
  readonly budgetMb: number;
  readonly nowMb: number;
  readonly highestMb: number;
}

export async function measureMemory(field: Field): Promise<Section> {
  if (!existsSync('/proc/self/status')) {
    return {
      title: 'Memory',
      text: 'Not measured: this system does not say what a process takes.',
      tables: [],
    };
  }
  const runs = [await readEveryMonth(field, LARGE, SMALL_BUDGET_MB)];
  if (field.settings.sizes.includes(HUGE)) runs.push(await readEveryMonth(field, HUGE, DEFAULT_BUDGET_MB));
  const many = await readManyAccounts(field, SMALL_BUDGET_MB);
  const bytesPerShift = await bytesInCache(field);
  return {
    title: 'Memory',
    text:
      `Every month of an account is read, ${READERS} requests at a time, twice, with a \`--cache-mb\` that cannot hold it; and each of ` +
      `${whole(ACCOUNTS)} small accounts once. In the cache, a shift takes ${brief(bytesPerShift)} bytes.`,
    tables: [
      {
        columns: ['read', 'budget', 'resident afterwards', 'at its highest', 'highest beyond the budget'],
        rows: [...runs, many].map(({ what, budgetMb, nowMb, highestMb }) => [
          what,
          ...[budgetMb, nowMb, highestMb, highestMb - budgetMb].map((megabytes) => `${whole(megabytes)} MB`),
        ]),
      },
    ],
    findings: [
      worst(
        'memoryLarge',
        runs.map(({ what, budgetMb, highestMb }) => ({ value: highestMb - budgetMb, of: what })),
        'highest',
      ),
      { aim: 'memoryMany', value: many.highestMb - many.budgetMb },
    ],
  };
}

async function readEveryMonth(field: Field, size: number, budgetMb: number): Promise<Resident> {
  const what = `36 months of ${whole(size)} shifts a year`;
  note(`Memory: ${what}`);
  const { path, headers } = field.account(size);
  const months = monthsOf(field).map(({ year, month }) => ({
    path: `${path}?years=${year}&months=${month}`,
    headers,
  }));
  return {
    what,
    budgetMb,
    ...(await residentAfter((await field.sqlite()).url, budgetMb, [...months, ...months])),
  };
}

async function readManyAccounts(field: Field, budgetMb: number): Promise<Resident> {
  const what = `${whole(ACCOUNTS)} accounts`;
  note(`Memory: ${what}`);
  const path = join(field.folder, 'many.db');
  const accounts = await fillManyAccounts(path, ACCOUNTS, field.today);
  return { what, budgetMb, ...(await residentAfter(`sqlite:${path}`, budgetMb, accounts)) };
}

async function residentAfter(
  databaseUrl: string,
  cacheMb: number,
  requests: readonly { readonly path: string; readonly headers: Readonly<Record<string, string>> }[],
): Promise<Pick<Resident, 'nowMb' | 'highestMb'>> {
  const server = await serveShiftfeed(databaseUrl, { cacheMb });
  const waiting = requests.values();
  await Promise.all(
    Array.from({ length: READERS }, async () => {
      for (const { path, headers } of waiting) await readListing({ url: server.url + path, headers });
    }),
  );
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
  await server.stop();
  const megabytes = (field: string) =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
  return { nowMb: megabytes('VmRSS'), highestMb: megabytes('VmHWM') };
}

/** Loads an account into a feed of this process and sees how large its cache became. */
async function bytesInCache(field: Field): Promise<number> {
  const { url, fillings } = await field.sqlite();
  const store = await openReader(url);
  const loader = startLoader(url);
  const feed = makeFeed({
    store,
    loader,
    clock: Date.now,
    cacheBudgetBytes: 1024 * MEGABYTE,
    staleIfErrorMs: 0,
    // All of it at once, not only what a page needs.
    eagerRows: Number.POSITIVE_INFINITY,
  });
  const { token, slug } = field.account(LARGE);
  const years = [...new Set(monthsOf(field).map(({ year }) => year))];
  await listPage(feed, hashToken(token), slug, `years=${years.join()}&published=false`);
  const { cachedBytes } = feed.counts();
  await loader.close();
  await store.close();
  return cachedBytes / (fillings.get(LARGE)?.shifts ?? Number.NaN);
}

function monthsOf({ today }: Field): { year: number; month: number }[] {
  const first = monthOfDay(today) - MONTHS_BACK;
  return Array.from({ length: MONTHS_BACK + MONTHS_AHEAD }, (_, i) =>
    civilOf(firstDayOf((first + i) as Month)),
  );
}
