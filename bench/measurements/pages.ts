/** Pages per second, beside everything else that could send them and in accounts of different size. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { FIRST_PAGE, type Field, LAST_PAGE, QUERIES, type Query } from '../field.ts';
import { assertSameBytes, assertSamePage, type ListedPage, readListing, type Target } from '../load.ts';
import { brief, ratio, type Sample, whole, withSpread } from '../numbers.ts';
import { NGINX_VERSION, startNginx } from '../peers/nginx.ts';
import { barPlot } from '../plots.ts';
import { note } from '../processes.ts';
import type { Report } from '../report.ts';
import { compare } from '../rounds.ts';
import { LARGE, LARGEST, SMALL } from '../settings.ts';

/** In the order in which they are shown; the colours differ in lightness as well as in hue. */
const CONTESTANTS = {
  ours: { label: 'Shiftfeed', colour: '#0b7285' },
  nginx: { label: 'nginx, a file', colour: '#adb5bd' },
  fixed: { label: 'Fastify, a fixed buffer', colour: '#495057' },
  typical: { label: 'typical service, SQLite', colour: '#e8590c' },
  typicalOnPostgres: { label: 'typical service, PostgreSQL', colour: '#f59f00' },
} as const;
type Contestant = keyof typeof CONTESTANTS;
const NAMES = Object.keys(CONTESTANTS) as Contestant[];

/** One question to one account, raced by those who can answer it. */
interface Race {
  readonly query: Query;
  readonly size: number;
  readonly page: ListedPage;
  readonly rates: Readonly<Partial<Record<Contestant, Sample>> & Record<'ours' | 'fixed', Sample>>;
}

export async function measurePages(field: Field, report: Report): Promise<void> {
  report.text(
    'The first table is the first page of 500 of the default window, which is the next twelve months. The second has other questions. ' +
      'Each page was checked to hold the same shifts and the same total from everyone who looks for them, and the same bytes from ' +
      'those who send a copy.',
  );
  const { sizes, isQuick } = field.settings;
  const firstPages: Race[] = [];
  const addFirstPage = report.table(
    'shifts a year | listed | bytes a page | who | pages/s (lowest–highest) | Shiftfeed to it',
  );
  for (const size of sizes) {
    const found = await race(field, size, FIRST_PAGE);
    firstPages.push(found);
    for (const cells of firstPageCells(found)) addFirstPage(...cells);
  }
  const others: Race[] = [];
  const addOther = report.table(
    'question | shifts a year | listed | page | Shiftfeed, pages/s | fixed buffer | ratio | typical service | times | on PostgreSQL',
  );
  for (const size of isQuick ? [LARGE] : sizes) {
    for (const query of QUERIES.filter((each) => each !== FIRST_PAGE)) {
      const found = await race(field, size, query);
      others.push(found);
      addOther(...otherPageCells(found));
    }
  }
  report.plot('first-page', plotOf(firstPages));
  report.finding('firstPageToTypicalSmall', toFasterTypical(firstPages, SMALL));
  report.finding('firstPageToTypicalLarge', toFasterTypical(firstPages, LARGE));
  const toTypical = others.flatMap(({ query, size, rates: { ours, typical } }) =>
    size === LARGE && typical ? [{ value: ratio(ours, typical), of: query.name }] : [],
  );
  report.worst('otherPagesToTypical', toTypical);
}

async function race(field: Field, size: number, query: Query): Promise<Race> {
  note(`Pages: ${query.name} of ${whole(size)} shifts a year`);
  const page = await field.page(size, query);
  const { headers } = page.target;
  const { server: fixed, pagesFolder } = await field.fixed({ page: page.body });
  const hasNginx = NGINX_VERSION !== undefined && query === FIRST_PAGE;
  const nginx = hasNginx && (await startNginx(pagesFolder, join(field.folder, `nginx-${size}`)));
  const limits = {
    fixed: { url: `${fixed.url}/page`, headers },
    ...(nginx && { nginx: { url: `${nginx.url}/page`, headers } }),
  };
  for (const target of Object.values(limits)) await assertSameBytes(target, page.body);
  const contestants = { ours: page.target, ...limits, ...(await peersFor(field, size, query, page)) };
  const rates = await compare(contestants, field.settings.rounds);
  for (const server of [fixed, nginx]) if (server) await server.stop();
  return { query, size, page, rates };
}

/** Those that look for the shifts themselves, each after a look whether it finds the same. */
async function peersFor(
  field: Field,
  size: number,
  query: Query,
  page: ListedPage,
): Promise<Partial<Record<Contestant, Target>>> {
  const path = await field.pathOf(size, query);
  const typicalOn = async (kind: 'SQLite' | 'PostgreSQL') => {
    const { headers } = await field.account(kind, size);
    const target = { url: (await field.typical(kind, size)).url + path, headers };
    assertSamePage(await readListing(target), page, target.url);
    return target;
  };
  // Some seconds a page: one such number is enough.
  if (size === LARGEST && query !== FIRST_PAGE) return {};
  const typical = await typicalOn('SQLite');
  const isOnPostgres = query === FIRST_PAGE || (query === LAST_PAGE && size === LARGE);
  if (!isOnPostgres || !field.settings.postgresSizes.includes(size)) return { typical };
  return { typical, typicalOnPostgres: await typicalOn('PostgreSQL') };
}

function firstPageCells({ size, page, rates }: Race): string[][] {
  return NAMES.flatMap((name) => {
    const rate = rates[name];
    if (rate === undefined) return [];
    const toIt = name === 'ours' ? '' : brief(ratio(rates.ours, rate));
    const { label } = CONTESTANTS[name];
    return [[whole(size), whole(page.total), whole(page.body.length), label, withSpread(rate), toIt]];
  });
}

function otherPageCells({ query, size, page, rates }: Race): string[] {
  const { ours, fixed, typical, typicalOnPostgres } = rates;
  return [
    query.name,
    whole(size),
    whole(page.total),
    `${page.ids.length} rows, ${brief(page.body.length / 1000)} kB`,
    withSpread(ours),
    withSpread(fixed),
    brief(ratio(ours, fixed)),
    typical ? withSpread(typical) : '',
    typical ? brief(ratio(ours, typical)) : '',
    typicalOnPostgres ? withSpread(typicalOnPostgres) : '',
  ];
}

function toFasterTypical(races: readonly Race[], size: number): number {
  const rates = races.find((found) => found.size === size)?.rates;
  const typical = [rates?.typical, rates?.typicalOnPostgres].map((sample) => sample?.median ?? 0);
  return (rates?.ours.median ?? Number.NaN) / Math.max(...typical);
}

function plotOf(races: readonly Race[]): string {
  const groups = races.map(({ size, rates }) => ({
    label: `${whole(size)} shifts a year`,
    bars: NAMES.flatMap((name) => (rates[name] ? [{ ...CONTESTANTS[name], value: rates[name].median }] : [])),
  }));
  return barPlot('First page of 500 shifts: pages a second on one core', groups);
}

/** Whether a page is as fast in a large account as in a small one. */
export async function measureFlatness(field: Field, report: Report): Promise<void> {
  const { sizes, rounds } = field.settings;
  report.text(
    'Shiftfeed alone, the same question in accounts of different size, in turns. Where a small account has too few shifts for a full ' +
      'page, the larger ones are asked for as few, so that pages have the same length.',
  );
  const addRow = report.table(
    `question | rows a page | ${sizes.map((size) => `${whole(size)} a year, pages/s`).join(' | ')} | slower by`,
  );
  const slowdowns: { value: number; of: string }[] = [];
  for (const query of QUERIES) {
    note(`Flatness: ${query.name}`);
    const pages = await Promise.all(sizes.map((size) => field.page(size, query)));
    const perPage = Math.min(...pages.map(({ ids }) => ids.length));
    const targets: Record<string, Target> = {};
    for (const size of sizes) {
      const path = await field.pathOf(size, query, { per_page: perPage });
      const { headers } = await field.account('SQLite', size);
      const target = { url: (await field.ours('SQLite', size)).url + path, headers };
      assert.equal((await readListing(target)).ids.length, perPage, target.url);
      targets[size] = target;
    }
    const rates = await compare(targets, rounds);
    const samples = sizes.map((size) => rates[String(size)] as Sample);
    const slowdown = ratio(samples[0] as Sample, samples.at(-1) as Sample);
    slowdowns.push({ value: slowdown, of: query.name });
    addRow(query.name, String(perPage), ...samples.map(withSpread), brief(slowdown));
  }
  report.worst('flat', slowdowns);
}
