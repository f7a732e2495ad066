/** Whether a page is as fast in a large account as in a small one. */

import assert from 'node:assert/strict';
import type { Field } from '../field.ts';
import { readListing } from '../listing.ts';
import type { Target } from '../load/target.ts';
import { note } from '../progress.ts';
import { pathOf, QUERIES, type Query } from '../queries.ts';
import { brief, ratio, whole, withSpread } from '../report/format.ts';
import { type Section, worst } from '../report/section.ts';
import { compare } from '../rounds.ts';
import type { Sample } from '../sample.ts';

export async function measureFlatness(field: Field): Promise<Section> {
  const { sizes, rounds } = field.settings;
  const rows: string[][] = [];
  const slowdowns: { value: number; of: string }[] = [];
  for (const query of QUERIES) {
    note(`Flatness: ${query.name}`);
    const { perPage, targets } = await pagesOfEqualLength(field, query);
    const rates = await compare(targets, rounds);
    const samples = sizes.map((size) => rates[String(size)] as Sample);
    const slowdown = ratio(samples[0] as Sample, samples.at(-1) as Sample);
    slowdowns.push({ value: slowdown, of: query.name });
    rows.push([query.name, String(perPage), ...samples.map(withSpread), brief(slowdown)]);
  }
  return {
    title: 'Flat, however large the account',
    text:
      'Shiftfeed alone, the same question in accounts of different size, in turns. Where a small account has too few shifts for a full ' +
      'page, the larger ones are asked for as few, so that pages have the same length.',
    tables: [
      {
        columns: [
          'question',
          'rows a page',
          ...sizes.map((size) => `${whole(size)} a year, pages/s`),
          'slower by',
        ],
        rows,
      },
    ],
    findings: [worst('flat', slowdowns, 'highest')],
  };
}

async function pagesOfEqualLength(
  field: Field,
  query: Query,
): Promise<{ perPage: number; targets: Record<string, Target> }> {
  const { sizes } = field.settings;
  const pages = await Promise.all(sizes.map((size) => field.page(size, query)));
  const perPage = Math.min(...pages.map(({ ids }) => ids.length));
  const targets: Record<string, Target> = {};
  for (const size of sizes) {
    const path = pathOf(query, field.account(size), await field.facts(size), { per_page: perPage });
    const target = { url: (await field.ours(size)).url + path, headers: field.account(size).headers };
    assert.equal((await readListing(target)).ids.length, perPage, target.url);
    targets[size] = target;
  }
  return { perPage, targets };
}
