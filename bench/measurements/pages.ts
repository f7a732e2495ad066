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
import { ratio, whole } from '../report/format.ts';
import { type Finding, type Section, worst } from '../report/section.ts';
import { compare } from '../rounds.ts';
import { HUGE, LARGE, SMALL } from '../settings.ts';
import type { Contestant, Race } from './race.ts';
import { contestantsPlot, questionsPlot, sizesPlot } from './race-plots.ts';
import { firstPageTable, otherPagesTable } from './race-tables.ts';

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
    const rates = await compare({ ...limit, ...listing }, field.settings.rounds);
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
): Promise<Record<'ours', Target> & Partial<Record<Contestant, Target>>> {
  const { headers, slug } = field.account(size);
  const path = pathOf(query, field.account(size), await field.facts(size));
  const at = ({ url }: { readonly url: string }): Target => ({ url: url + path, headers });
  const checked = async (target: Target) => {
    assertSamePage(await readListing(target), page, target.url);
    return target;
  };
  const onPostgres = async () => checked(at(await field.typicalOnPostgres()));
  const instant = async () => {
    const target = { url: (await field.instant()).url + instantQuery(slug, PER_PAGE), headers: {} };
    assertSamePage(readInstantPage((await askOnce(target)).body.toString()), page, target.url);
    return target;
  };

  const ours = await checked(at(await field.ours(size)));
  const typical = await checked(at(await field.typical()));
  // Some seconds a page: one such number is enough.
  if (size === HUGE) return query === FIRST_PAGE ? { ours, typical } : { ours };
  if (!field.settings.postgresSizes.includes(size)) return { ours, typical };
  // PostGraphile needs a second or more for a last page: its first is enough.
  if (query === FIRST_PAGE) {
    return { ours, typical, typicalOnPostgres: await onPostgres(), instant: await instant() };
  }
  return query === LAST_PAGE && size === LARGE
    ? { ours, typical, typicalOnPostgres: await onPostgres() }
    : { ours, typical };
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

function firstPageFindings(races: readonly Race[]): Finding[] {
  const toTypical = (size: number) => {
    const rates = races.find((race) => race.size === size)?.rates;
    const typical = [rates?.typical, rates?.typicalOnPostgres].map((sample) => sample?.median ?? 0);
    return (rates?.ours.median ?? Number.NaN) / Math.max(...typical);
  };
  return [
    { aim: 'firstPageToTypicalSmall', value: toTypical(SMALL) },
    { aim: 'firstPageToTypicalLarge', value: toTypical(LARGE) },
  ];
}

function otherFindings(races: readonly Race[]): Finding[] {
  const toTypical = races.flatMap(({ query, size, rates }) =>
    size === LARGE && rates.typical ? [{ value: ratio(rates.ours, rates.typical), of: query.name }] : [],
  );
  return [worst('otherPagesToTypical', toTypical, 'lowest')];
}
