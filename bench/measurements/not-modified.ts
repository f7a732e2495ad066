/** How fast Shiftfeed says that nothing changed, beside the smallest answer that Fastify can give. */

import assert from 'node:assert/strict';
import type { Field } from '../field.ts';
import { askOnce } from '../load/once.ts';
import { note } from '../progress.ts';
import { brief, ratio, withSpread } from '../report/format.ts';
import type { Section } from '../report/section.ts';
import { compare } from '../rounds.ts';
import { LARGE } from '../settings.ts';

export async function measureNotModified(field: Field): Promise<Section> {
  note('Not modified');
  const { path, headers } = field.account(LARGE);
  const url = (await field.ours(LARGE)).url + path;
  const etag = (await askOnce({ url, headers })).headers.get('etag') ?? '';
  const ours = { url, headers: { ...headers, 'if-none-match': etag } };
  const fastify = (await field.fixed({})).server.url;
  const smallest = { url: `${fastify}/smallest`, headers };
  const fixed = { url: `${fastify}/not-modified`, headers: ours.headers };
  assert.equal((await askOnce(ours)).status, 304);
  assert.equal((await askOnce(smallest)).status, 204);
  assert.equal((await askOnce(fixed)).status, 304);
  const rates = await compare({ ours, smallest, fixed }, field.settings.rounds);
  const toSmallest = ratio(rates.ours, rates.smallest);
  return {
    title: 'Not modified',
    text:
      'A request with the entity tag of the first page of 128,000 shifts a year, beside Fastify answering 204, and Fastify answering 304 with ' +
      'the headers that Shiftfeed sends, to everything.',
    tables: [
      {
        columns: ['who', 'answers/s', 'to the 204'],
        rows: [
          ['Shiftfeed, 304', withSpread(rates.ours), brief(toSmallest)],
          ['Fastify, 204', withSpread(rates.smallest), ''],
          ['Fastify, a fixed 304', withSpread(rates.fixed), brief(ratio(rates.fixed, rates.smallest))],
        ],
      },
    ],
    findings: [{ aim: 'notModified', value: toSmallest }],
  };
}
