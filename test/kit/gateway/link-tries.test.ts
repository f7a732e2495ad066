/**
 * Links that were not made for whoever uses them: of other people, feeds, secrets and numbers, with letters changed, cut
 * off, added or put elsewhere. Not one of them shows a byte of a shift, or differs from an address that is unknown.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { often } from '../../support/strength.ts';
import { openPersonal, SECRET } from './personal.ts';

const TRIES = often(200, 20_000);
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const PERSONAL = { group_ids: 'all', personal: true } as const;
const FEEDS = { kitchen: PERSONAL, bar: PERSONAL, public: { group_ids: 'all' } } as const;
/** What is in every shift, in every form. */
const OF_A_SHIFT = /PlaceOf|Kitchen|Harbour|Quay|700[1-5]|2026-11|202611/;

test(`${TRIES} links that are wrong show nothing`, async () => {
  const gateway = openPersonal({}, FEEDS);
  const linkOf = async (person: string, feed: string, of = gateway) =>
    (await of.pathOf(person, feed)).split('/me/')[1] ?? '';
  const right = await linkOf('Noor', 'kitchen');
  const foreign = [
    await linkOf('Noor', 'bar'),
    await linkOf('Sam', 'bar'),
    await linkOf('Noor', 'kitchen', openPersonal({ linksSecret: `${SECRET}x` }, FEEDS)),
    await linkOf('Noor', 'kitchen', openPersonal({ linksSecret: SECRET.toLowerCase() }, FEEDS)),
    await linkOf('Noor', 'kitchen', openPersonal({ linkNumbers: { Noor: 2 } }, FEEDS)),
    await linkOf('Sam', 'kitchen', openPersonal({ linkNumbers: { Sam: 3 } }, FEEDS)),
  ];
  const genuine = [right, await linkOf('Sam', 'kitchen'), await linkOf('x'.repeat(60), 'kitchen')];
  const anyLink = fc.oneof(
    fc.constantFrom(...foreign),
    anyChangeOf(fc.constantFrom(...genuine, ...foreign)),
    fc.tuple(fc.constantFrom(...genuine), fc.constantFrom(...genuine), fc.nat(63)).map(([a, b, at]) => {
      return a.slice(0, at) + b.slice(at);
    }),
    fc.string({ unit: fc.constantFrom(...ALPHABET), minLength: 64, maxLength: 64 }),
    // Dots lead up to addresses that are not personal.
    fc.webPath({ size: 'small' }).map((path) => path.slice(1).replaceAll('.', '-')),
  );
  const anyPath = fc.tuple(
    fc.oneof({ weight: 4, arbitrary: fc.constant('kitchen') }, fc.constantFrom('bar', 'public', 'none')),
    anyLink,
    fc.constantFrom('', '/shifts', '/shifts.ics'),
  );
  const unknown = await (await gateway.get('/nothing')).text();
  let tried = 0;
  await fc.assert(
    fc.asyncProperty(anyPath, async ([feed, link, form]) => {
      // Some changes lead back to a link that is right where it is used.
      if (feed === 'kitchen' && genuine.includes(link)) return;
      if (feed === 'bar' && foreign.slice(0, 2).includes(link)) return;
      const response = await gateway.get(`/${feed}/me/${link}${form}`);
      const text = await response.text();
      assert.doesNotMatch(text, OF_A_SHIFT);
      assert.deepEqual([response.status, text], [404, unknown]);
      tried++;
    }),
    { numRuns: TRIES },
  );
  assert.ok(tried > TRIES * 0.8, `only ${tried} were tried`);
  // What they are compared with does show shifts.
  assert.match(await (await gateway.get(`/kitchen/me/${right}/shifts`)).text(), OF_A_SHIFT);
});

/** One letter or more is another, missing, or more. */
function anyChangeOf(links: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const letter = fc.constantFrom(...ALPHABET);
  const change = fc.record({
    at: fc.nat(130),
    letter,
    kind: fc.constantFrom('change', 'remove', 'add', 'cut'),
  });
  return fc.tuple(links, fc.array(change, { minLength: 1, maxLength: 3 })).map(([link, changes]) =>
    changes.reduce((text, { at, letter, kind }) => {
      const place = at % (text.length + 1);
      if (kind === 'cut') return text.slice(0, place);
      const rest = text.slice(kind === 'add' ? place : place + 1);
      return text.slice(0, place) + (kind === 'remove' ? '' : letter) + rest;
    }, link),
  );
}
