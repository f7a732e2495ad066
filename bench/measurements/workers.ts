/** Two processes on a port beside one, and what the machine allows: the same for Fastify with a fixed buffer. */

import { cpus } from 'node:os';
import type { Field } from '../field.ts';
import { assertSameBytes, readListing } from '../listing.ts';
import type { Target } from '../load/target.ts';
import { serveShiftfeed, startServer } from '../processes.ts';
import { note } from '../progress.ts';
import { FIRST_PAGE, pathOf, TEN } from '../queries.ts';
import { brief, ratio, withSpread } from '../report/format.ts';
import { type Section, worst } from '../report/section.ts';
import { compare } from '../rounds.ts';
import { LARGE } from '../settings.ts';

const CACHE_MB_PER_WORKER = 256;
const ON_ALL_CORES = { cores: 'all' } as const;

export async function measureWorkers(field: Field): Promise<Section> {
  note('Two workers');
  const { url: databaseUrl } = await field.sqlite();
  const pages = field.settings.isQuick ? { first: FIRST_PAGE } : { first: FIRST_PAGE, ten: TEN };
  const { folder } = await field.fixed({
    first: (await field.page(LARGE, FIRST_PAGE)).body,
    ten: (await field.page(LARGE, TEN)).body,
  });
  const serve = (workers: number) =>
    serveShiftfeed(databaseUrl, { workers, cacheMb: workers * CACHE_MB_PER_WORKER }, ON_ALL_CORES);
  const serveFixed = (workers: number) =>
    startServer('./peers/fixed-buffer.ts', [folder, String(workers)], ON_ALL_CORES);
  const servers = {
    one: await serve(1),
    two: await serve(2),
    oneFixed: await serveFixed(1),
    twoFixed: await serveFixed(2),
  };

  const { headers } = field.account(LARGE);
  const rows: string[][] = [];
  const gains: { value: number; of: string }[] = [];
  for (const [file, query] of Object.entries(pages)) {
    const path = pathOf(query, field.account(LARGE), await field.facts(LARGE));
    const ours = ({ url }: { url: string }): Target => ({ url: url + path, headers });
    const fixed = ({ url }: { url: string }): Target => ({ url: `${url}/${file}`, headers });
    const { body } = await readListing(ours(servers.one));
    for (const target of [ours(servers.two), fixed(servers.oneFixed), fixed(servers.twoFixed)]) {
      await assertSameBytes(target, body);
    }
    const rates = await compare(
      {
        one: ours(servers.one),
        two: ours(servers.two),
        oneFixed: fixed(servers.oneFixed),
        twoFixed: fixed(servers.twoFixed),
      },
      // Every worker has to load the account before it is timed.
      { ...field.settings.rounds, ...ON_ALL_CORES, warmUpSeconds: 1 },
    );
    gains.push({ value: ratio(rates.two, rates.one), of: query.name });
    rows.push(
      [
        'Shiftfeed',
        query.name,
        withSpread(rates.one),
        withSpread(rates.two),
        brief(ratio(rates.two, rates.one)),
      ],
      [
        'Fastify, a fixed buffer',
        query.name,
        withSpread(rates.oneFixed),
        withSpread(rates.twoFixed),
        brief(ratio(rates.twoFixed, rates.oneFixed)),
      ],
    );
  }
  for (const server of Object.values(servers)) await server.stop();
  return {
    title: 'Two workers beside one',
    text:
      `Servers and load share ${cpus().length} cores here, whichever they like. What the load takes of them is missing for the second worker: the fixed ` +
      'buffer shows how much a second process can gain on this machine at all.',
    tables: [{ columns: ['who', 'question', 'one, pages/s', 'two, pages/s', 'two to one'], rows }],
    findings: [worst('workers', gains, 'lowest')],
  };
}
