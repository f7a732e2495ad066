/** Compressed pages beside the same page as it is. */

import assert from 'node:assert/strict';
import type { Field } from '../field.ts';
import { askOnce } from '../load/once.ts';
import { note } from '../progress.ts';
import { FIRST_PAGE } from '../queries.ts';
import { brief, ratio, whole, withSpread } from '../report/format.ts';
import type { Section } from '../report/section.ts';
import { compare } from '../rounds.ts';
import { LARGE } from '../settings.ts';

const ENCODINGS = ['identity', 'gzip', 'br', 'zstd'] as const;

export async function measureCompression(field: Field): Promise<Section> {
  note('Compression');
  const { path, headers } = field.account(LARGE);
  const url = (await field.ours(LARGE)).url + path;
  const { body } = await field.page(LARGE, FIRST_PAGE);
  const targetOf = (encoding: string) => ({ url, headers: { ...headers, 'accept-encoding': encoding } });
  const bytes = new Map<string, number>();
  for (const encoding of ENCODINGS) {
    const answer = await askOnce(targetOf(encoding));
    assert.equal(answer.headers.get('content-encoding') ?? 'identity', encoding);
    assert.ok(answer.body.equals(body), `${encoding}: another page`);
    bytes.set(encoding, Number(answer.headers.get('content-length')));
  }
  const rates = await compare(
    { identity: targetOf('identity'), gzip: targetOf('gzip'), br: targetOf('br'), zstd: targetOf('zstd') },
    field.settings.rounds,
  );
  return {
    title: 'Compressed pages',
    text: 'The first page of 128,000 shifts a year from Shiftfeed, as clients may ask for it.',
    tables: [
      {
        columns: ['encoding', 'bytes a page', 'pages/s', 'to identity'],
        rows: ENCODINGS.map((encoding) => [
          encoding,
          whole(bytes.get(encoding) ?? Number.NaN),
          withSpread(rates[encoding]),
          brief(ratio(rates[encoding], rates.identity)),
        ]),
      },
    ],
  };
}
