/** Pages per second beside everything else that could send them. */

import { join } from 'node:path';
import type { Field } from '../field.ts';
import { assertSameBytes, assertSamePage, type ListedPage, readListing } from '../listing.ts';
import { askOnce } from '../load/once.ts';
import type { Target } from '../load/target.ts';
import { instantQuery, readInstantPage } from '../peers/instant/listing.ts';
import { NGINX_VERSION, startNginx } from '../peers/nginx.ts';
import { note } from '../progress.ts';
import { FIRST_PAGE, LAST_PAGE, PER_PAGE, pathOf, QUERIES, type Query } from '../queries.ts';
import { barPlot } from '../report/bar-plot.ts';
import { brief, kilobytes, ratio, whole, withSpread } from '../report/format.ts';
import { linePlot } from '../report/line-plot.ts';
import { type Finding, type Plot, type Section, type Table, worst } from '../report/section.ts';
import { compare, type Sample } from '../rounds.ts';
import { HUGE, LARGE, SMALL } from '../settings.ts';

/** In the order in which they are shown; the colours differ in lightness as well as in hue. */
const CONTESTANTS = {
  ours: { label: 'Shiftfeed', colour: '#0b7285' },
  nginx: { label: 'nginx, a file', colour: '#adb5bd' },
  fixed: { label: 'Fastify, a fixed buffer', colour: '#495057' },
  typical: { label: 'typical service, SQLite', colour: '#e8590c' },
  typicalOnPostgres: { label: 'typical service, PostgreSQL', colour: '#f59f00' },
  instant: { label: 'PostGraphile', colour: '#9c36b5' },
} as const;
type Contestant = keyof typeof CONTESTANTS;

interface Race {
  readonly query: Query;
  readonly size: number;
  readonly page: ListedPage;
  readonly rates: Readonly<Partial<Record<Contestant, Sample>> & Record<'ours' | 'fixed', Sample>>;
}

export async function measurePages(field: Field): Promise<Section> {
  const heats = await prepareHeats(field);
  const fixed = await field.fixed(Object.fromEntries(heats.map(({ file, page }) => [file, page.body])));
  const nginxUrl = NGINX_VERSION && (await startNginx(fixed.folder, join(field.folder, 'nginx'))).url;
  const races: Race[] = [];
  for (const { query, size, page, file } of heats) {
    note(`Pages: ${query.name} of ${whole(size)} shifts a year`);
    const { headers } = field.account(size);
    const limit = {
      fixed: { url: `${fixed.server.url}/${file}`, headers },
      ...(nginxUrl && query === FIRST_PAGE && { nginx: { url: `${nginxUrl}/${file}`, headers } }),
    };
    for (const target of Object.values(limit)) await assertSameBytes(target, page.body);
    const listing = await listingTargets(field, query, size, page);
    const rates = await compare<Contestant>(
      { ...limit, ...listing } as Record<Contestant, Target>,
      field.settings.rounds,
    );
    races.push({ query, size, page, rates });
  }
  return describe(races);
}

interface Heat extends Pick<Race, 'query' | 'size' | 'page'> {
  readonly file: string;
}

async function prepareHeats(field: Field): Promise<Heat[]> {
  const heats: Heat[] = [];
  for (const size of field.settings.sizes) {
    for (const query of QUERIES) {
      // In a quick run, the smallest account is only asked for its first page.
      if (field.settings.isQuick && size === SMALL && query !== FIRST_PAGE) continue;
      const file = `${query.name.replaceAll(/\W+/g, '-')}-${size}.json`;
      heats.push({ query, size, page: await field.page(size, query), file });
    }
  }
  return heats;
}

/** Those that look for the shifts themselves, each after a look whether it finds the same. */
async function listingTargets(
  field: Field,
  query: Query,
  size: number,
  page: ListedPage,
): Promise<Partial<Record<Contestant, Target>>> {
  const { headers, slug } = field.account(size);
  const path = pathOf(query, field.account(size), await field.facts(size));
  const at = ({ url }: { readonly url: string }): Target => ({ url: url + path, headers });
  const checked = async (target: Target) => {
    assertSamePage(await readListing(target), page, target.url);
    return target;
  };

  const ours = await checked(at(await field.ours(size)));
  const typical = await checked(at(await field.typical()));
  // Some seconds a page: one such number is enough.
  if (size === HUGE) return query === FIRST_PAGE ? { ours, typical } : { ours };
  const isForAll = query === FIRST_PAGE || query === LAST_PAGE;
  if (!isForAll || !field.settings.postgresSizes.includes(size)) return { ours, typical };

  const offset = query === FIRST_PAGE ? 0 : page.total - (page.total % PER_PAGE) - PER_PAGE;
  const instant = {
    url: (await field.instant()).url + instantQuery(slug, { first: PER_PAGE, offset }),
    headers: {},
  };
  assertSamePage(readInstantPage((await askOnce(instant)).body.toString()), page, instant.url);
  return { ours, typical, typicalOnPostgres: await checked(at(await field.typicalOnPostgres())), instant };
}

function describe(races: readonly Race[]): Section {
  const firstPages = races.filter(({ query }) => query === FIRST_PAGE);
  const others = races.filter(({ query }) => query !== FIRST_PAGE);
  return {
    title: 'Pages a second',
    text:
      'The first table is the first page of 500 of the default window, which is the next twelve months. The second has other questions. ' +
      'Each page was checked to hold the same shifts and the same total from everyone who looks for them, and the same bytes from ' +
      'those who send a copy. PostGraphile checks no token.',
    tables: [firstPageTable(firstPages), otherPagesTable(others)],
    plots: [contestantsPlot(firstPages), questionsPlot(races), sizesPlot(firstPages)],
    findings: [...firstPageFindings(firstPages), ...otherFindings(others)],
  };
}

function firstPageTable(races: readonly Race[]): Table {
  return {
    columns: [
      'shifts a year',
      'listed',
      'bytes a page',
      'who',
      'pages/s (lowest–highest)',
      'Shiftfeed to it',
    ],
    rows: races.flatMap(({ size, page, rates }) =>
      contestantsOf(rates).map(([name, sample]) => [
        whole(size),
        whole(page.total),
        whole(page.body.length),
        CONTESTANTS[name].label,
        withSpread(sample),
        name === 'ours' ? '' : brief(ratio(rates.ours, sample)),
      ]),
    ),
  };
}

function otherPagesTable(races: readonly Race[]): Table {
  return {
    columns: [
      ...['question', 'shifts a year', 'listed', 'page', 'Shiftfeed, pages/s', 'fixed buffer', 'ratio'],
      ...['typical service', 'times', 'on PostgreSQL', 'PostGraphile'],
    ],
    rows: races.map(({ query, size, page, rates: { ours, fixed, typical, typicalOnPostgres, instant } }) => [
      query.name,
      whole(size),
      whole(page.total),
      `${page.ids.length} rows, ${kilobytes(page.body.length)}`,
      withSpread(ours),
      withSpread(fixed),
      brief(ratio(ours, fixed)),
      typical ? withSpread(typical) : '',
      typical ? brief(ratio(ours, typical)) : '',
      typicalOnPostgres ? withSpread(typicalOnPostgres) : '',
      instant ? withSpread(instant) : '',
    ]),
  };
}

function firstPageFindings(races: readonly Race[]): Finding[] {
  const toFixed = races.map(({ size, rates }) => ({
    value: ratio(rates.ours, rates.fixed),
    of: `${whole(size)} a year`,
  }));
  const toTypical = (size: number) => {
    const rates = races.find((race) => race.size === size)?.rates;
    const typical = [rates?.typical, rates?.typicalOnPostgres].map((sample) => sample?.median ?? 0);
    return (rates?.ours.median ?? Number.NaN) / Math.max(...typical);
  };
  return [
    worst('firstPageToFixed', toFixed, 'lowest'),
    { aim: 'firstPageToTypicalSmall', value: toTypical(SMALL) },
    { aim: 'firstPageToTypicalLarge', value: toTypical(LARGE) },
  ];
}

function otherFindings(races: readonly Race[]): Finding[] {
  const toFixed = races.map(({ query, size, rates }) => ({
    value: ratio(rates.ours, rates.fixed),
    of: `${query.name}, ${whole(size)} a year`,
  }));
  const toTypical = races.flatMap(({ query, size, rates }) =>
    size === LARGE && rates.typical ? [{ value: ratio(rates.ours, rates.typical), of: query.name }] : [],
  );
  return [worst('otherPagesToFixed', toFixed, 'lowest'), worst('otherPagesToTypical', toTypical, 'lowest')];
}

function contestantsPlot(races: readonly Race[]): Plot {
  return {
    name: 'first-page',
    alt: 'Bars of how many first pages of 500 shifts each contestant sends a second, by size of the account.',
    svg: barPlot({
      title: 'First page of 500 shifts: pages a second on one core',
      groups: races.map(({ size, rates }) => ({
        label: `${whole(size)} shifts a year`,
        bars: contestantsOf(rates).map(([name, { median }]) => ({ ...CONTESTANTS[name], value: median })),
      })),
    }),
  };
}

function questionsPlot(races: readonly Race[]): Plot {
  const shown: readonly Contestant[] = ['ours', 'fixed', 'typical'];
  return {
    name: 'questions',
    alt: 'Bars of how many pages a second Shiftfeed, a fixed buffer and the typical service send, by question.',
    svg: barPlot({
      title: `An account of ${whole(LARGE)} shifts a year: pages a second on one core`,
      groups: races
        .filter(({ size }) => size === LARGE)
        .map(({ query, rates }) => ({
          label: query.name,
          bars: contestantsOf(rates)
            .filter(([name]) => shown.includes(name))
            .map(([name, { median }]) => ({ ...CONTESTANTS[name], value: median })),
        })),
    }),
  };
}

function sizesPlot(races: readonly Race[]): Plot {
  const names = (Object.keys(CONTESTANTS) as Contestant[]).filter((name) =>
    races.every(({ rates }) => rates[name] !== undefined),
  );
  return {
    name: 'sizes',
    alt: 'Lines of how many first pages a second each contestant sends as the account grows.',
    svg: linePlot({
      title: 'First page of 500 shifts: pages a second as the account grows',
      xLabel: 'shifts a year',
      lines: names.map((name) => ({
        ...CONTESTANTS[name],
        points: races.map(({ size, rates }) => ({ x: size, y: rates[name]?.median ?? Number.NaN })),
      })),
    }),
  };
}

function contestantsOf(rates: Race['rates']): [Contestant, Sample][] {
  return (Object.keys(CONTESTANTS) as Contestant[]).flatMap((name) => {
    const sample = rates[name];
    return sample === undefined ? [] : [[name, sample]];
  });
}
