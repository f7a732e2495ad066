import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { after, describe, type TestContext } from 'node:test';
import { type Day, parseDate } from '@shiftfeed/common/days';
import type { Locator, Page } from 'playwright-core';
import { demoDocument } from '../../src/demo/account.ts';
import { violations } from '../kit/calendar/axe.ts';
import {
  connectBrowser,
  hasBrowser,
  browserTest as test,
  type Watched,
  watchPage,
} from '../support/browser.ts';
import { acme, KITCHEN, shift } from '../support/document.ts';
import { skipsWithout } from '../support/installed.ts';
import { startLine } from '../support/line.ts';
import { startService } from '../support/service.ts';
import { often } from '../support/strength.ts';
import { until } from '../support/until.ts';

const TODAY = '2026-11-15';
const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740 };

const service = await startService({ after }, { now: `${TODAY}T12:00:00Z` });
await service.import(demoDocument(parseDate(TODAY) as Day));
const token = await service.token('demo');
const browser = hasBrowser() ? await connectBrowser({ after }) : undefined;
/** Whose browser has the scripts already, which takes less than to load them for every test. */
const visitor = await browser?.newContext({ viewport: DESKTOP });

describe('the explorer, in a browser', () => {
  /** Opens the page as the demo does, and waits for its shifts. */
  async function openDemo(context: TestContext, options: object = {}): Promise<Explorer> {
    const explorer = await openPage(context, `${service.url}/#account=demo&token=${token}`, options);
    await explorer.page.getByRole('table').waitFor();
    return explorer;
  }

  async function openPage(context: TestContext, url: string, options: object = {}): Promise<Explorer> {
    assert.ok(browser && visitor);
    const isUsual = Object.keys(options).length === 0;
    const page = isUsual ? await visitor.newPage() : await browser.newPage({ viewport: DESKTOP, ...options });
    context.after(() => page.close());
    const watched = watchPage(page);
    await page.goto(url);
    return { page, ...watched };
  }

  test('is filled in by the fragment, which leaves the address at once; the token is nowhere but in its field', async (t) => {
    const { page, complaints, addresses } = await openDemo(t);
    assert.equal(page.url(), `${service.url}/`);
    assert.equal(await page.getByLabel('Account', { exact: true }).inputValue(), 'demo');
    const { meta } = await service.list('demo', '?per_page=25', token);
    assert.match(await page.locator('#status').innerText(), new RegExp(`^1–25 of ${meta.total} shifts$`));
    assert.equal(await page.locator('td.column-time').count(), 25);

    for (const name of ['Table', 'JSON', 'Calendar', 'Code']) await page.getByRole('tab', { name }).click();
    await page.locator('shift-calendar').waitFor({ state: 'attached' });
    const kept =
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, history.state])';
    assert.equal(await page.evaluate(kept), '[{},{},"",null]');
    assert.ok(!(await page.content()).includes(token), 'the token is in the document');
    assert.deepEqual(
      addresses.filter(
        (address) => address.includes(token) && !address.endsWith(`#account=demo&token=${token}`),
      ),
      [],
    );
    for (const address of addresses) assert.match(address, new RegExp(`^(${service.url}/|data:)`));
    assert.deepEqual(complaints, []);
  });

  test('is filled in as well when only the fragment of an open page changes, and is empty after a reload', async (t) => {
    const { page } = await openPage(t, `${service.url}/`);
    await page.evaluate(`location.hash = ${JSON.stringify(`#account=demo&token=${token}`)}`);
    await page.getByRole('table').waitFor();
    assert.equal(page.url(), `${service.url}/`);
    await page.reload();
    assert.equal(await page.getByLabel('Token', { exact: true }).inputValue(), '');
    assert.equal(await page.getByRole('table').count(), 0);
  });

  test('takes filters from the fragment, with account and token or without', async (t) => {
    const { page } = await openPage(t, `${service.url}/#years=2026&days=1,7&page=2`);
    const asks = (line: string) => page.locator('#request-line').getByText(line, { exact: true }).waitFor();
    await asks('GET /ACCOUNT/api/v1/shifts?days=7,1&years=2026&per_page=25&page=2');
    assert.equal(page.url(), `${service.url}/`);
    assert.ok(await page.getByLabel('Saturday').isChecked());
    await page.evaluate(`location.hash = ${JSON.stringify(`#account=demo&token=${token}`)}`);
    await asks('GET /demo/api/v1/shifts?days=7,1&years=2026&per_page=25');
    await page.getByRole('table').waitFor();
    // Others take their place, and are asked for at once.
    await page.evaluate(`location.hash = '#group_ids=1&published=false&per_page=3&page=2'`);
    await asks('GET /demo/api/v1/shifts?group_ids=1&published=false&per_page=3&page=2');
    await page
      .locator('#status')
      .getByText(/^4–6 of /)
      .waitFor();
    // What no control can stand for is asked for as well, until the filters are cleared.
    await page.evaluate(`location.hash = '#days=0&date_from=soon&group_id=2'`);
    await page.locator('#problem').getByText('did you mean "group_ids"?').waitFor();
    await page.locator('#days-problem').getByText('days has the value "0"').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await asks('GET /demo/api/v1/shifts?per_page=3');
  });

  test('tells the status, time, size, revision, tag and zone of the answer', async (t) => {
    const { page } = await openDemo(t);
    const response = await service.get('demo', '?per_page=25', token);
    const facts = await page.locator('#facts').innerText();
    assert.match(facts, /Status\s+200\s+Time\s+\d+ ms\s+Size\s+[\d.]+ kB, [\d.]+ k?B as (zstd|br|gzip)/);
    assert.ok(facts.includes(response.headers.get('shiftfeed-revision') ?? '?'));
    assert.ok(facts.includes((response.headers.get('etag') ?? '?').slice(0, -1)));
    assert.ok(facts.includes('Europe/Amsterdam'));
  });

  test('asks for what its controls say, and pages on', async (t) => {
    const { page } = await openDemo(t);
    const line = page.locator('#request-line');
    const shows = async (query: string) => {
      await line.getByText(`GET /demo/api/v1/shifts?${query}`, { exact: true }).waitFor();
      const { shifts, meta } = await service.list('demo', `?${query}`, token);
      const first = (meta.page - 1) * meta.per_page + 1;
      const last = first + shifts.length - 1;
      const status = `${first === last ? first : `${first}–${last}`} of ${meta.total} shift`;
      await page.locator('#status').getByText(status).waitFor();
      const ids = shifts.map(({ id }) => String(id));
      await until('its shifts are shown', async () =>
        equals(await page.locator('td.column-id').allInnerTexts(), ids),
      );
    };
    await page.getByRole('button', { name: 'Next' }).click();
    await shows('per_page=25&page=2');
    await page.getByRole('button', { name: 'Last' }).click();
    await shows('per_page=25&page=6');
    await page.getByLabel('Shifts a page').selectOption('10');
    await shows('per_page=10');
    await page.getByLabel('Kitchen').check();
    await page.getByLabel('Bar').check();
    await shows('group_ids=3,1&per_page=10');
    await page.getByLabel('Others, by id').fill('5');
    await page.getByLabel('Others, by id').press('Enter');
    await shows('group_ids=3,1,5&per_page=10');
    await page.getByLabel('Friday').check();
    await page.getByLabel('Sunday').check();
    await page.getByLabel('December').check();
    await shows('group_ids=3,1,5&days=6,1&months=12&per_page=10');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await shows('per_page=10');
    await page.getByLabel('Pick a week').fill('2026-W53');
    await shows('weeks=53&years=2026&per_page=10');
    assert.match(await page.locator('#picked-week').innerText(), /2026-12-28 to 2027-01-03/);
    await page.getByLabel('From').fill('2026-12-31');
    await page.getByLabel('To', { exact: true }).fill('2027-06-30');
    await page.getByLabel('Unpublished shifts, too').check();
    await page.getByLabel('Location ids').fill('2');
    await page.getByLabel('Location ids').press('Tab');
    await shows(
      'date_from=2026-12-31&date_to=2027-06-30&weeks=53&years=2026&location_ids=2&published=false&per_page=10',
    );
  });

  test('asks for no week before its year is typed, for another one instead, and for none once it is cleared', async (t) => {
    const { page } = await openDemo(t);
    const line = page.locator('#request-line');
    const asksFor = (query: string) =>
      line.getByText(`GET /demo/api/v1/shifts?${query}`, { exact: true }).waitFor();
    const picker = page.getByLabel('Pick a week');
    await page.getByLabel('Week numbers').fill('1');
    await picker.focus();
    for (const digit of '53202') {
      await page.keyboard.press(digit);
      assert.match(await line.innerText(), /\?weeks=1&per_page=25$/, `after ${digit}`);
    }
    await page.keyboard.press('6');
    await asksFor('weeks=1,%2053&years=2026&per_page=25');
    await picker.fill('2027-W02');
    await asksFor('weeks=1,%202&years=2027&per_page=25');
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await asksFor('per_page=25');
    assert.equal(await picker.inputValue(), '');
    assert.equal(await page.locator('#picked-week').innerText(), '');
  });

  test('shows the answer to what was asked last, also when an earlier one comes after it', async (t) => {
    const { page } = await openDemo(t);
    const earlier = Promise.withResolvers<void>();
    const isEarlier = /[?&]page=2$/;
    await page.route(isEarlier, async (route) => {
      await earlier.promise;
      await route.continue();
    });
    const asked = page.waitForRequest(isEarlier);
    await page.getByRole('button', { name: 'Next' }).click();
    const request = await asked;
    await page.getByRole('button', { name: 'Last' }).click();
    const number = page.locator('#page-number');
    await number.getByText('Page 6 of 6', { exact: true }).waitFor();
    earlier.resolve();
    // It has no answer when the page has given it up.
    await (await request.response())?.finished();
    // Once another answer has come, the page has seen the earlier one, too.
    await page.evaluate("fetch('healthz').then((response) => response.text())");
    assert.equal(await number.innerText(), 'Page 6 of 6');
  });

  test('leaves no copy of the shifts in the cache of the browser', async (t) => {
    const { page, addresses } = await openDemo(t);
    const address = addresses.find((some) => some.includes('/api/v1/shifts'));
    const ask = (cache: string) =>
      page.evaluate(
        `fetch(${JSON.stringify(address)}, {
          headers: { authorization: ${JSON.stringify(`Bearer ${token}`)} }, mode: 'same-origin', cache: '${cache}',
        }).then((response) => response.text().then(() => response.status), () => 'no answer')`,
      );
    assert.equal(await ask('only-if-cached'), 'no answer');
    assert.equal(await ask('default'), 200);
    assert.equal(await ask('only-if-cached'), 200, 'the browser would keep a copy that it may');
  });

  test('shows the sentences of the API beside the controls that they are about, until they are right', async (t) => {
    const { page } = await openDemo(t);
    const years = page.getByLabel('Years');
    await page.getByLabel('From').fill('0999-01-01');
    await years.fill('20x6');
    await page.getByRole('button', { name: 'List shifts' }).click();
    assert.match(
      await describedBy(page.getByLabel('From')),
      /^date_from has the value "0999-01-01"; expected a date/,
    );
    assert.match(await describedBy(years), /^years has the value "20x6"; expected whole numbers/);
    assert.equal(await years.getAttribute('aria-invalid'), 'true');
    assert.match(await page.getByRole('alert').innerText(), /^date_from has .* years has/);
    assert.equal(await page.getByRole('table').count(), 0);

    await page.getByLabel('From').fill('2026-12-01');
    await years.fill('2026');
    await years.press('Enter');
    await page.getByRole('table').waitFor();
    assert.equal(await page.locator('[aria-invalid], .field-problem').count(), 0);

    await page.getByLabel('Token', { exact: true }).fill('shiftfeed_wrong');
    await page.getByRole('button', { name: 'List shifts' }).click();
    await page.locator('#token-problem').waitFor();
    assert.match(
      await describedBy(page.getByLabel('Token', { exact: true })),
      /Invalid or expired API token$/,
    );
    assert.equal(await page.evaluate('document.activeElement.id'), 'token');
    await page.getByLabel('Token', { exact: true }).fill(token);
    await page.getByLabel('Account', { exact: true }).fill('nobody');
    await page.getByRole('button', { name: 'List shifts' }).click();
    await page.locator('#account-problem').waitFor();
    assert.match(await describedBy(page.getByLabel('Account', { exact: true })), /nobody/);
  });

  test('counts the shifts that match and are not published yet, once for all pages', async (t) => {
    const hidden = await startService(t, { now: `${TODAY}T12:00:00Z` });
    const later = { publish_date: '2027-01-01' };
    await hidden.import(
      acme([
        ...Array.from({ length: 26 }, () => shift('2026-12-01')),
        shift('2026-12-02', later),
        ...Array.from({ length: 3 }, () => shift('2026-12-04', later)),
      ]),
    );
    const fragment = `#account=acme&token=${await hidden.token('acme')}`;
    const { page, addresses } = await openPage(t, `${hidden.url}/${fragment}`);
    const count = page.locator('#unpublished');
    await count.getByText('4 more are not published yet', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.locator('#page-number').getByText('Page 2').waitFor();
    await count.getByText('4 more').waitFor();
    assert.equal(addresses.filter((address) => address.includes('published=false')).length, 1);

    await page.getByLabel('Wednesday').check();
    await count.getByText('1 more is not published yet', { exact: true }).waitFor();
    assert.equal(await page.locator('#status').innerText(), 'No shifts match.');

    // A count that comes late is not shown beside the next answer.
    const late = Promise.withResolvers<void>();
    const isCount = /[?&]days=4,6&per_page=1&published=false$/;
    await page.route(isCount, async (route) => {
      await late.promise;
      await route.continue().catch(() => {});
    });
    const asked = page.waitForRequest(isCount);
    await page.getByLabel('Friday').check();
    await asked;
    await page.getByLabel('Unpublished shifts, too').check();
    await page.locator('#status').getByText('1–4 of 4 shifts').waitFor();
    late.resolve();
    await page.evaluate("fetch('healthz').then((response) => response.text())");
    assert.equal(await count.innerText(), '');
  });

  test('says that From lies after To, until it does not', async (t) => {
    const { page } = await openDemo(t);
    const to = page.getByLabel('To', { exact: true });
    await page.getByLabel('From').fill('2026-12-31');
    await to.fill('2026-12-01');
    assert.match(await describedBy(to), /^From lies after To/);
    await page.locator('#status').getByText('No shifts match.', { exact: true }).waitFor();
    await to.fill('2027-01-10');
    await page.getByRole('table').waitFor();
    assert.equal(await page.locator('.field-problem').count(), 0);
  });

  test('shows nothing of an earlier answer beside what is wrong now, and no earlier error beside an answer', async (t) => {
    const { page } = await openDemo(t);
    const list = page.getByRole('button', { name: 'List shifts' });
    const alert = page.getByRole('alert');
    const account = page.getByLabel('Account', { exact: true });
    const showsNoAnswer = async () => {
      assert.equal(await page.getByRole('table').count(), 0);
      assert.equal(await page.locator('#json').textContent(), '');
      for (const id of ['facts', 'paging']) assert.equal(await page.locator(`#${id}`).isVisible(), false, id);
      assert.equal(await page.locator('#status').innerText(), '');
    };
    await account.fill('');
    await list.click();
    assert.equal(await alert.innerText(), 'Enter the name of an account.');
    await showsNoAnswer();

    await account.fill('nobody');
    await list.click();
    await alert.getByText('nobody').waitFor();
    await page.getByLabel('Token', { exact: true }).fill('');
    await list.click();
    assert.match(await alert.innerText(), /^Enter a token/);
    assert.equal(await page.locator('#account-problem').count(), 0);
    await showsNoAnswer();

    await account.fill('demo');
    await page.getByLabel('Token', { exact: true }).fill(token);
    await list.click();
    await page.getByRole('table').waitFor();
    assert.equal(await alert.count(), 0);
    assert.equal(await page.locator('.field-problem').count(), 0);

    await page.route('**/api/v1/shifts*', (route) => route.abort());
    await list.click();
    await alert.getByText('The service could not be reached').waitFor();
    await showsNoAnswer();
  });

  test('gives the request as code that runs, without the token unless it is wanted', async (t) => {
    const { page } = await openDemo(t);
    await page.getByLabel('Kitchen').check();
    await page.locator('#request-line').getByText('group_ids=1').waitFor();
    const { meta } = await service.list('demo', '?group_ids=1', token);
    await page.getByRole('tab', { name: 'Code' }).click();
    for (const { name, command, probe, packageName } of INTERPRETERS) {
      await page.getByLabel(name, { exact: true }).check();
      await page.getByLabel('With the token').uncheck();
      const code = await page.locator('#code').innerText();
      assert.ok(!code.includes(token), name);
      await page.getByLabel('With the token').check();
      const codeWithToken = await page.locator('#code').innerText();
      assert.ok(codeWithToken.includes(token), name);
      await t.test(name, async (context) => {
        if (skipsWithout(context, probe, packageName)) return;
        // Starting an interpreter takes long, so only the quickest runs twice.
        const output = await run(command, code, { SHIFTFEED_TOKEN: token });
        if (name !== 'curl') assert.ok(output.endsWith(`\n${meta.total} shifts in all\n`), output);
        else
          for (const json of [output, await run(command, codeWithToken, {})])
            assert.equal(JSON.parse(json).meta.total, meta.total);
      });
    }
  });

  test('shows the same as a calendar, with the same filters', async (t) => {
    const { page, complaints } = await openDemo(t);
    await page.getByLabel('Management').check();
    await page.getByRole('tab', { name: 'Calendar' }).click();
    const calendar = page.locator('shift-calendar');
    await calendar.getByText('Management').first().waitFor();
    assert.equal(await calendar.getByText('Kitchen').count(), 0);
    assert.equal(await page.locator('#paging').isVisible(), false);
    await page.getByLabel('Management').uncheck();
    await page.getByLabel('Kitchen').check();
    // A slow machine asks without any group in between.
    await until('the kitchen alone is shown', async () => {
      const others = await calendar.getByText('Management').count();
      return others === 0 && (await calendar.getByText('Kitchen').count()) > 0;
    });
    assert.deepEqual(complaints, []);
  });

  test('shows what changes as long as it is live and seen: place and focus stay, and what is wrong is a sentence', async (t) => {
    const changing = await startService(t, { now: `${TODAY}T12:00:00Z` });
    const line = await startLine(t, changing.url);
    const write = (remarks: string) =>
      changing.import(
        acme(
          Array.from({ length: 40 }, (_, i) =>
            shift('2026-12-01', { id: i + 1, remarks: `${remarks} ${i}` }),
          ),
        ),
      );
    await write('first');
    const key = await changing.token('acme');
    const { page, complaints, addresses } = await openPage(t, `${line.url}#account=acme&token=${key}`);
    await page.getByRole('table').waitFor();
    const live = page.getByLabel('Live', { exact: true });
    const says = (sentence: string | RegExp) => page.locator('#live-status').getByText(sentence).waitFor();
    const shows = (remarks: string) =>
      page.locator('td.column-remarks').getByText(remarks, { exact: true }).waitFor();
    const hears = (count: number) => until(`${count} streams`, () => changing.streams() === count);
    const setHidden = (isHidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));`);
    await live.check();
    await says('Listening for changes');

    const place = () => page.evaluate('[scrollY, document.activeElement.textContent]');
    await page.getByRole('button', { name: 'Next' }).click();
    await shows('first 39');
    await says('Listening for changes');
    await page.evaluate('scrollTo(0, 150)');
    const before = await place();
    await write('second');
    await shows('second 39');
    await says(/^Changed at \d\d:\d\d:\d\d$/);
    assert.deepEqual(await place(), before);
    const [scrolledTo, focused] = before as [number, string];
    assert.ok(scrolledTo > 0 && focused === 'Next');

    // Only the calendar that is seen asks for its shifts, and stays where it is.
    await page.getByRole('tab', { name: 'Calendar' }).click();
    const calendar = page.locator('shift-calendar');
    await calendar.getByText('Kitchen').first().waitFor();
    await calendar.getByRole('button', { name: 'Next' }).click();
    const date = await page.evaluate(`document.querySelector('shift-calendar').date`);
    await write('third');
    await page.locator('#json').getByText('third 39').waitFor({ state: 'attached' });
    assert.equal(await page.evaluate(`document.querySelector('shift-calendar').date`), date);
    await page.getByRole('tab', { name: 'Table' }).click();

    // The stream is that of what is asked for.
    await page.getByLabel('December').check();
    await shows('third 0');
    await says('Listening for changes');
    await hears(1);
    assert.match(addresses.at(-1) ?? '', /\?months=12&per_page=25$/);
    assert.deepEqual(complaints, []);

    await setHidden(true);
    await hears(0);
    await write('fourth');
    await setHidden(false);
    await shows('fourth 0');
    await says(/^Changed/);

    await line.cut();
    await says('The service could not be reached. Trying again.');
    await write('fifth');
    await shows('fourth 0');
    await line.mend();
    await shows('fifth 0');
    await says(/^Changed/);

    await live.uncheck();
    await hears(0);
    assert.equal(await page.locator('#live-status').textContent(), '');
    await live.check();
    await hears(1);
    await changing.store.revokeToken((await changing.store.tokens())[0]?.id ?? 0, 1);
    await page.locator('#token-problem').getByText('Invalid or expired API token').waitFor();
    await hears(0);
    assert.equal(await page.locator('#live-status').textContent(), '');
  });

  test('can be used by keyboard alone', async (t) => {
    const { page } = await openPage(t, `${service.url}/`);
    const focused = () => page.evaluate('document.activeElement.id || document.activeElement.value');
    const tabTo = async (id: string) => {
      for (let presses = 0; (await focused()) !== id; presses++) {
        assert.ok(presses < 60, `${id} cannot be reached`);
        await page.keyboard.press('Tab');
      }
    };
    await tabTo('account');
    await page.keyboard.type('demo');
    await tabTo('token');
    await page.keyboard.type(token);
    await page.keyboard.press('Enter');
    await page.getByRole('table').waitFor();
    await page.getByLabel('Kitchen').focus();
    await page.keyboard.press('Space');
    await page.locator('#request-line').getByText('group_ids=1&per_page=25').waitFor();
    await tabTo('tab-table');
    for (const [key, id] of [
      ['ArrowLeft', 'tab-code'],
      ['Home', 'tab-table'],
      ['ArrowRight', 'tab-calendar'],
      ['ArrowRight', 'tab-json'],
    ] as const) {
      await page.keyboard.press(key);
      assert.equal(await focused(), id);
    }
    assert.match(await page.locator('#json').innerText(), /^\{\n {2}"shifts": \[/);
    const next = page.getByRole('button', { name: 'Next' });
    await next.focus();
    await page.keyboard.press('Enter');
    await page.locator('#page-number').getByText('Page 2').waitFor();
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Next');
  });

  const SCREENS = [
    ['on a desktop', { viewport: DESKTOP }, ['Table', 'JSON', 'Code']],
    ['on a phone', { viewport: PHONE, hasTouch: true }, often([], ['Table'])],
    ['on a desktop, dark', { viewport: DESKTOP, colorScheme: 'dark' }, ['Calendar']],
  ] as const;
  for (const [name, options, tabs] of SCREENS.slice(0, often(2, 3))) {
    test(`is accessible ${name}, and scrolls in one direction`, async (t) => {
      const { page } = await openDemo(t, options);
      if (!(await page.getByLabel('Years').isVisible())) await page.locator('summary').click();
      await page.getByLabel('Years').fill('20x6');
      await page.getByLabel('Years').press('Enter');
      await page.locator('#years-problem').waitFor();
      assert.deepEqual(await violations(page), []);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false);
      await page.getByLabel('Years').fill('');
      await page.getByLabel('Years').press('Enter');
      await page.getByRole('table').waitFor();
      for (const tab of tabs.slice(0, often(1, 3))) {
        await page.getByRole('tab', { name: tab }).click();
        if (tab === 'Calendar') await page.locator('shift-calendar').getByText('Kitchen').first().waitFor();
        assert.deepEqual(await violations(page), [], tab);
        assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, tab);
      }
    });
  }

  for (const [name, viewport] of [
    ['a desktop', { width: 1280, height: 600 }],
    ['a phone', PHONE],
  ] as const) {
    test(`brings the result into sight on ${name}, and leaves the focus where it is`, async (t) => {
      const { page } = await openDemo(t, { viewport, reducedMotion: 'reduce' });
      const isSeen = async (selector: string) => {
        const box = await page.locator(selector).boundingBox();
        return box !== null && box.y >= 0 && box.y + box.height <= viewport.height;
      };
      if (viewport === PHONE) await page.locator('summary').click();
      const last = page.getByLabel('Unpublished shifts, too');
      await last.focus();
      await page.keyboard.press('Space');
      const { meta } = await service.list('demo', '?published=false', token);
      await page.locator('#status').getByText(`of ${meta.total} shifts`).waitFor();
      await until('the result is seen', () => isSeen('#status'));
      assert.equal(await page.evaluate('document.activeElement.dataset.parameter'), 'published');
      if (viewport !== PHONE) assert.ok(await isSeen('[data-parameter="published"]'), 'so is the control');

      await page.locator('#paging').scrollIntoViewIfNeeded();
      assert.equal(await isSeen('#status'), false);
      await page.getByRole('button', { name: 'List shifts' }).click();
      await until('it is seen again', () => isSeen('#status'));
    });
  }

  test('breaks words that are too long for their place, so that nothing overlaps and the page never scrolls sideways', async (t) => {
    const long = await startService(t, { now: `${TODAY}T12:00:00Z` });
    const word = 'x'.repeat(200);
    await long.import({
      ...acme([
        shift('2026-12-01', { remarks: word, location_id: 1, person_id: 1 }),
        shift('2026-12-01', { group_id: 2, remarks: word }),
      ]),
      groups: [
        { ...KITCHEN, name: word },
        { ...KITCHEN, id: 2, name: 'Management' },
      ],
      locations: [{ id: 1, name: word, address: word }],
      people: [{ id: 1, name: word }],
    });
    const { page } = await openPage(t, `${long.url}/#account=acme&token=${await long.token('acme')}`);
    await page.getByRole('table').waitFor();
    const short = page.locator('td.column-group span').getByText('Management');
    for (const width of [1280, 1100, 961, 641, 360]) {
      await page.setViewportSize({ width, height: 900 });
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width);
      const overflowing = `[...document.querySelectorAll('td, .toggles label')]
        .filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.className)`;
      assert.deepEqual(await page.evaluate(overflowing), [], String(width));
      const lines = await short.evaluate((name) => name.getClientRects().length);
      assert.equal(lines, 1, `a short word has room at ${width}`);
    }
  });

  test('works under a path prefix', async (t) => {
    const prefixed = await startService(t, { now: `${TODAY}T12:00:00Z`, app: { pathPrefix: '/plan/v' } });
    await prefixed.import(demoDocument(parseDate(TODAY) as Day));
    const fragment = `#account=demo&token=${await prefixed.token('demo')}`;
    const { page, complaints } = await openPage(t, `${prefixed.url}/plan/v${fragment}`);
    await page.getByRole('table').waitFor();
    assert.equal(page.url(), `${prefixed.url}/plan/v/`);
    assert.match(await page.locator('#request-line').innerText(), /^GET \/plan\/v\/demo\/api\/v1\/shifts/);
    assert.deepEqual(complaints, []);
  });
});

interface Explorer extends Watched {
  readonly page: Page;
}

/** The text that a screen reader adds to a control. */
async function describedBy(control: Locator): Promise<string> {
  await until('it is described', async () => (await control.getAttribute('aria-describedby')) !== null);
  const ids = (await control.getAttribute('aria-describedby')) ?? '';
  const texts = ids.split(' ').map((id) => control.page().locator(`#${id}`).innerText());
  return (await Promise.all(texts)).join(' ');
}

function equals(one: readonly string[], other: readonly string[]): boolean {
  return one.join() === other.join();
}

/** Each reads the program from standard input. */
const INTERPRETERS = [
  { name: 'curl', command: ['sh', '-s'], probe: ['curl', '--version'], packageName: 'curl' },
  {
    name: 'JavaScript',
    command: [process.execPath, '--input-type=module', '-'],
    probe: [process.execPath, '--version'],
    packageName: 'nodejs',
  },
  { name: 'PHP', command: ['php'], probe: ['php', '--version'], packageName: 'php-cli' },
  { name: 'Python', command: ['python3', '-'], probe: ['python3', '--version'], packageName: 'python3' },
] as const;

async function run([program = '', ...args]: readonly string[], code: string, env: object): Promise<string> {
  const child = spawn(program, args, { env: { PATH: process.env.PATH, ...env } });
  child.stdin.end(code);
  const [output, complaints] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if (program !== 'sh') assert.equal(complaints, '');
  return output;
}
