/** Mistakes of whoever wrote the page are told in the console, in a real browser. */

import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { browserTest } from '../../support/browser.ts';
import { listen } from '../../support/listening.ts';
import { type CalendarOptions, type Site, shift, startCalendars } from './site.ts';

const { site, open } = await startCalendars();

const EXPECTED = "It has to be the address of a feed's shifts at the gateway, such as /kitchen/shifts.";
const NO_CALENDAR = 'The answer is no calendar: expected an object with a list of "shifts", and got';

const BY_SRC: [mistake: string, answer: (response: ServerResponse) => void, sentence: string][] = [
  [
    'the address of a page',
    (response) => response.setHeader('content-type', 'text/html; charset=utf-8').end('<!doctype html>'),
    `src gives no JSON, but text/html. ${EXPECTED}`,
  ],
  [
    'a calendar',
    (response) => response.setHeader('content-type', 'text/calendar').end('BEGIN:'),
    `src gives no JSON, but text/calendar. ${EXPECTED}`,
  ],
  [
    'nothing of a type',
    (response) => response.end('?'),
    `src gives no JSON, but something else. ${EXPECTED}`,
  ],
  [
    'a feed that is not there',
    (response) => response.writeHead(404).end('{}'),
    `src leads nowhere (404). ${EXPECTED}`,
  ],
  ['the API itself', (response) => response.writeHead(401).end('{}'), `src wants a token (401). ${EXPECTED}`],
  [
    'a wrong query',
    (response) => response.writeHead(400).end('{}'),
    `src has a query that is not understood (400). ${EXPECTED}`,
  ],
  ['other JSON', (response) => response.end('{"rows": []}'), `${NO_CALENDAR} Object.`],
];

for (const [mistake, answer, sentence] of BY_SRC) {
  browserTest(`a src that is ${mistake} is told, once`, async (context) => {
    const instead: Site['instead'] = (_, response) => answer(response);
    assert.deepEqual(await toldBy(context, { gateway: { instead } }), [sentence]);
  });
}

const BY_SOURCE: [mistake: string, source: string, sentence: string][] = [
  ['throws', `() => { throw new Error('No database.'); }`, 'source failed: Error: No database.'],
  ['rejects', `async () => { throw 'nothing'; }`, 'source failed: nothing'],
  ['gives nothing', '() => undefined', `${NO_CALENDAR} undefined.`],
  ['gives a list', '() => []', `${NO_CALENDAR} Array.`],
  ['gives an answer that nobody has read', '() => new Response("{}")', `${NO_CALENDAR} Response.`],
  [
    'gives other shifts',
    '() => ({ shifts: [{ id: 1, person: { name: "Noor" } }] })',
    'shifts[0] is not a shift: expected "id", "date", "start_time", "end_time" and "end_date", as the API gives them.',
  ],
  ['is no function', '[]', 'source is not a function.'],
];

for (const [mistake, source, sentence] of BY_SOURCE) {
  browserTest(`a source that ${mistake} is told, once`, async (context) => {
    assert.deepEqual(await toldBy(context, { attributes: { src: '' } }, source), [sentence]);
  });
}

browserTest(
  'a server elsewhere that does not allow the site is told, with what to check',
  async (context) => {
    const elsewhere = createServer((_, response) => response.end('{"shifts": []}'));
    const host = `127.0.0.1:${await listen(context, elsewhere)}`;
    const src = `http://${host}/kitchen/me/secret/shifts`;
    assert.deepEqual(await toldBy(context, { attributes: { src }, browser: { bypassCSP: true } }), [
      `${host} cannot be asked. Check that src is right and the server runs, that the "origins" of the feed have ${site.url}, and that the Content-Security-Policy of the page allows it as connect-src.`,
    ]);
  },
);

browserTest('a server in trouble is no mistake', async (context) => {
  const instead: Site['instead'] = (_, response) => void response.writeHead(503).end();
  assert.deepEqual(await toldBy(context, { gateway: { instead } }), []);
});

browserTest('a network that fails where the calendar has worked is no mistake', async (context) => {
  const { page, complaints } = await open(context, {}, [shift('2026-11-15')]);
  await page.locator('shift-calendar [part~="shift"]').waitFor();
  site.instead = (_, response) => response.destroy();
  await page.evaluate(`document.querySelector('shift-calendar').refresh()`);
  assert.deepEqual(complaints.filter(isOurs), []);
});

/** What the console says of a calendar that fails twice. The visitor reads one sentence, which names nothing of this. */
async function toldBy(context: TestContext, options: CalendarOptions, source?: string): Promise<string[]> {
  const { page, complaints } = await open(context, options, []);
  if (source !== undefined)
    await page.evaluate(`document.querySelector('shift-calendar').source = ${source}; undefined`);
  await page.getByText('The shifts could not be loaded.').waitFor();
  await page.evaluate(`document.querySelector('shift-calendar').refresh()`);
  const said = complaints.filter(isOurs).map((text) => text.replace(OURS, '').split('\n')[0] ?? '');
  assert.ok(!said.join().includes('secret') && !said.join().includes('Noor'));
  return said;
}

const OURS = '<shift-calendar>: ';

function isOurs(text: string): boolean {
  return text.startsWith(OURS);
}
