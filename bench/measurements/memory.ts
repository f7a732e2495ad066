/** How much memory a server takes beyond the budget that it was given, and how many bytes a shift takes. */

import { join } from 'node:path';
import { freePort } from '../../test/support/listening.ts';
import { copyAccount, monthsAround, today } from '../accounts.ts';
import { type Account, type Field, fill } from '../field.ts';
import { readListing, type Target } from '../load.ts';
import { brief, whole } from '../numbers.ts';
import { megabytesOf, note, type Server, serveShiftfeed, untilIdle } from '../processes.ts';
import type { Report } from '../report.ts';
import { LARGE } from '../settings.ts';

const ACCOUNTS = 10_000;
const SHIFTS_A_YEAR_OF_MANY = 14;
const SMALL_BUDGET_MB = 64;
const DEFAULT_BUDGET_MB = 256;
const READERS = 8; // Requests at a time.

interface Request {
  readonly path: string;
  readonly headers: Target['headers'];
}

export async function measureMemory(field: Field, report: Report): Promise<void> {
  const large = await field.account('SQLite', LARGE);
  report.text(
    `Every month of an account is read, ${READERS} requests at a time, twice, with a \`--cache-mb\` that cannot hold it; and each of ` +
      `${whole(ACCOUNTS)} small accounts once. In the cache, a shift takes ${brief(await bytesPerShift(large))} bytes.`,
  );
  const addRow = report.table(
    'read | budget | resident afterwards | at its highest | highest beyond the budget',
  );
  async function read(what: string, databaseUrl: string, cacheMb: number, requests: readonly Request[]) {
    note(`Memory: ${what}`);
    const server = await serveShiftfeed(databaseUrl, { cacheMb });
    await readAll(server, requests);
    const [now, highest] = [megabytesOf(server.pid, 'VmRSS'), megabytesOf(server.pid, 'VmHWM')];
    await server.stop();
    const cells = [cacheMb, now, highest, highest - cacheMb].map((megabytes) => `${whole(megabytes)} MB`);
    addRow(what, ...cells);
    return { value: highest - cacheMb, of: what };
  }

  const runs: { value: number; of: string }[] = [];
  for (const size of field.settings.sizes.filter((each) => each >= LARGE)) {
    const account = await field.account('SQLite', size);
    const requests = [...monthsOf(account), ...monthsOf(account)];
    const cacheMb = size === LARGE ? SMALL_BUDGET_MB : DEFAULT_BUDGET_MB;
    runs.push(
      await read(`36 months of ${whole(size)} shifts a year`, account.databaseUrl, cacheMb, requests),
    );
  }
  report.worst('memoryLarge', runs);
  const path = join(field.folder, 'many.db');
  const { databaseUrl, slug } = await fill(`sqlite:${path}`, SHIFTS_A_YEAR_OF_MANY, field.folder);
  const many = copyAccount(path, slug, ACCOUNTS);
  const { value } = await read(`${whole(ACCOUNTS)} accounts`, databaseUrl, SMALL_BUDGET_MB, many);
  report.finding('memoryMany', value);
}

async function bytesPerShift(account: Account): Promise<number> {
  const adminPort = await freePort();
  const server = await serveShiftfeed(account.databaseUrl, { cacheMb: 1024, adminPort });
  await readAll(server, monthsOf(account));
  await untilIdle(server);
  const metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  await server.stop();
  return Number(/^shiftfeed_cache_bytes\{kind="months"\} (\d+)$/m.exec(metrics)?.[1]) / account.shifts;
}

function monthsOf({ path, headers }: Account): Request[] {
  return monthsAround(today()).map(({ year, month }) => ({
    path: `${path}?years=${year}&months=${month}&published=false`,
    headers,
  }));
}

async function readAll(server: Server, requests: readonly Request[]): Promise<void> {
  const waiting = requests.values();
  await Promise.all(
    Array.from({ length: READERS }, async () => {
      for (const { path, headers } of waiting) await readListing({ url: server.url + path, headers });
    }),
  );
}
