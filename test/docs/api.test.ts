import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { putClockBack, startService } from '../support/service.ts';
import { checkExchange, type Shell } from './curl.ts';
import { readTranscript } from './transcript.ts';

const ROOT = join(import.meta.dirname, '../..');
const MANUAL = readFileSync(join(ROOT, 'docs/api.md'), 'utf8');

/** What the manual says about following along is what happens here. */
const [, today = ''] = /today is (\d{4}-\d\d-\d\d)/.exec(MANUAL) ?? [];
const [, example = ''] = /^shiftfeed import (\S+)$/m.exec(MANUAL) ?? [];
const [, slug = ''] = /\$\(shiftfeed token create (\w+)\)/.exec(MANUAL) ?? [];
const [, path = ''] = /^SHIFTS=http:\/\/127\.0\.0\.1:8080(\/\S+)$/m.exec(MANUAL) ?? [];

const service = await startService({ after }, { now: `${today}T12:00:00Z` });
await service.import(JSON.parse(readFileSync(join(ROOT, example), 'utf8')));
const shell: Shell = {
  auth: `Authorization: Bearer ${await service.token(slug)}`,
  shifts: service.url + path,
  clock: () => service.nowMs,
  tagFiles: new Map(),
};

async function check(manual: string): Promise<void> {
  // One after the other, as a reader would: one command may use a file of the one before.
  for (const exchange of readTranscript(manual)) await checkExchange(exchange, shell);
}

test('every command of the manual prints what the manual shows', async () => {
  assert.ok(readTranscript(MANUAL).length > 20);
  await check(MANUAL);
});

test('the date matters only where the manual says what today is', async (context) => {
  const isTimeless = (section: string) => !section.includes(`today is ${today}`);
  putClockBack(context, service);
  for (const later of ['2026-12-01', '2027-06-01', '2040-01-01']) {
    service.nowMs = Temporal.Instant.from(`${later}T12:00:00Z`).epochMilliseconds;
    for (const section of MANUAL.split(/^##+ /m).filter(isTimeless)) await check(section);
  }
});

test('every trap of the manual shows a command', () => {
  const [, section = ''] = /^## Traps\n(.*?)^## /ms.exec(MANUAL) ?? [];
  const [, ...traps] = section.split(/^### /m);
  assert.ok(traps.length > 10);
  for (const trap of traps) assert.ok(readTranscript(trap).length > 0, trap);
});

const block = (...lines: string[]) => ['```console', ...lines, '```', ''].join('\n');
const TOTAL = '$ curl -s -H "$AUTH" "$SHIFTS?years=2026" | jq .meta.total';
const HEAD = '$ curl -sI -H "$AUTH" "$SHIFTS"';

test('a manual that is right passes', () => check(block(TOTAL, '7') + block(HEAD, 'HTTP/1.1 200 OK', '…')));

const wrong: [string, string][] = [
  ['shows another value', block(TOTAL, '5')],
  ['shows no value', block(TOTAL)],
  ['shows a value too many', block(TOTAL, '7', '7')],
  ['shows no value for one of two commands', block(TOTAL, TOTAL, '7')],
  ['shows a value without a command', block('7')],
  [
    'shows members in another order',
    block(TOTAL.replace('.total', ''), '{"page":1,"total":7,"per_page":500,"total_pages":1}'),
  ],
  ['shows another status', block(HEAD, 'HTTP/1.1 304 Not Modified', '…')],
  ['shows another header', block(HEAD, 'HTTP/1.1 200 OK', 'cache-control: public', '…')],
  ['shows a header that is not there', block(HEAD, 'HTTP/1.1 200 OK', 'sunset: …', '…')],
  ['hides that there are more headers', block(HEAD, 'HTTP/1.1 200 OK')],
  ['uses an option that the tests do not know', block(TOTAL.replace('-s', '-s -k'), '7')],
  ['asks another server', block('$ curl -s "https://example.org/" | jq .meta.total', '7')],
  ['runs another program', block('$ wget "$SHIFTS"', '7')],
  ['has a command where nobody runs it', block(TOTAL, '7').replace('console', 'sh')],
];
for (const [what, manual] of wrong) {
  test(`a manual that ${what} fails`, () => assert.rejects(check(manual)));
}
