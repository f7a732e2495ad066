import assert from 'node:assert/strict';
import { after, describe, type TestContext } from 'node:test';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { DeskRole } from '../../src/store/admin/tokens.ts';
import type { ShiftRecord } from '../../src/store/records.ts';
import { violations } from '../kit/calendar/axe.ts';
import { connectBrowser, hasBrowser, browserTest as test, watchPage } from '../support/browser.ts';
import { ACME, acme, KITCHEN, shift } from '../support/document.ts';
import { isLong, often } from '../support/strength.ts';
import { until } from '../support/until.ts';
import { openDesk } from './desk.ts';

const DESKTOP = { width: 1280, height: 900 };
/** As wide as a desktop that is zoomed to 400 %. */
const PHONE: BrowserContextOptions = { viewport: { width: 320, height: 640 }, hasTouch: true };
const desk = await openDesk({ after });
const browser = hasBrowser() ? await connectBrowser({ after }) : undefined;
let accounts = 0;

interface Opened {
  readonly role?: DeskRole;
  readonly shifts?: readonly ShiftRecord[];
  readonly rest?: object;
  readonly look?: BrowserContextOptions;
}

/** A desk that somebody has opened, with an account of their own. */
async function open(context: TestContext, { role = 'planner', shifts = [], rest, look }: Opened = {}) {
  const slug = `acme-${++accounts}`;
  await desk.import({ ...acme(shifts, rest), account: { ...ACME, slug, name: 'Harbour <b>Café</b>' } });
  const key = await desk.key(slug, 'Noor', role);
  assert.ok(browser);
  const visitor = await browser.newContext({
    viewport: DESKTOP,
    locale: 'en-GB',
    reducedMotion: 'reduce',
    ...look,
  });
  context.after(() => visitor.close());
  const page = await visitor.newPage();
  const watched = watchPage(page);
  await page.goto(`${desk.url}/#key=${key}`);
  await page.getByRole('tab', { name: 'Import' }).waitFor();
  return { slug, key, page, ...watched };
}

type File = readonly [name: string, text: string];

function choose(page: Page, [name, text]: File): Promise<void> {
  const file = { name, mimeType: 'text/csv', buffer: Buffer.from(text) };
  return page.getByLabel('Workbook, CSV or JSON file').setInputFiles(file);
}

const HEAD = 'id,date,start_time,end_time,group,person,publish_date';
const PLAN: File = [
  'plan.csv',
  `${HEAD}\n1,2026-12-01,09:00,17:00,Kitchen,<b>Ada</b> Lima,2026-11-01\n2,2026-12-02,18:00,01:00,Bar,,2026-11-01\n`,
];
/** Needs to be told how dates are written, from when it is published, and which group it is about. */
const UNCLEAR: File = [
  'Plan <i>.csv',
  'date,from,to,person,remarks\n3/6/2027,18:30,01:00,Noor,bring <b>keys</b>\n4/6/2027,9:00,17:00,Ada,\n',
];
const WRONG: File = ['plan.csv', `${PLAN[1]}3,2026-12-03,25:00,17:00,Kitchen,Bo,2026-11-01\n`];

const LONG = 'x'.repeat(120);

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const counts = (page: Page, text: string) =>
  region(page, 'Preview').locator('strong').getByText(text).waitFor();

async function checkLook(page: Page, what: string): Promise<void> {
  assert.deepEqual(await violations(page), [], what);
  assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false, what);
}

const focused = (page: Page) => page.evaluate('document.activeElement.textContent');

describe('the page of the desk, in a browser', () => {
  test('takes the key out of the address at once, and is left by signing out', async (t) => {
    const { page, key, addresses, complaints } = await open(t);
    assert.equal(page.url(), `${desk.url}/#import`);
    assert.equal(
      await page.evaluate('JSON.stringify([document.cookie, { ...localStorage }, history.state])'),
      '["",{},null]',
    );
    assert.ok(!(await page.content()).includes(key));
    for (const address of addresses) assert.match(address, new RegExp(`^(${desk.url}/|data:)`));
    assert.ok(!addresses.some((address) => address.includes(key)));
    assert.equal(await page.locator('h1 strong').innerText(), 'Harbour <b>Café</b>');
    await page.getByText('Noor, planner').waitFor();
    assert.deepEqual(await page.getByRole('tab').allInnerTexts(), ['Import', 'History', 'Shifts']);
    await button(page, 'Sign out').click();
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    await page.reload();
    await page.getByText('shiftfeed desk invite').waitFor();
    assert.deepEqual(await violations(page), []);
    assert.deepEqual(complaints, []);

    await page.evaluate('location.hash = "key=wrong"');
    await page.getByRole('alert').getByText('This link is not valid any more').waitFor();
    assert.equal(page.url(), `${desk.url}/`);
  });

  test('asks before a link opens another account, and names both', async (t) => {
    const { page, slug, complaints } = await open(t);
    await desk.import({ ...acme([]), account: { ...ACME, slug: 'evil', name: 'Evil' } });
    const link = `${desk.url}/#key=${await desk.key('evil', 'Mallory')}`;
    const name = page.locator('h1 strong').getByText('Harbour <b>Café</b>');
    const asked = page.getByText(
      `You are signed in to Harbour <b>Café</b> (${slug}) as Noor. This link opens Evil (evil) as Mallory.`,
    );
    // In the tab of the desk, and in a new one.
    for (const there of [`${desk.url}/#history`, 'about:blank']) {
      await page.goto(there);
      await page.goto(link);
      await asked.waitFor();
      assert.equal(page.url(), `${desk.url}/`);
      if (isLong || there === 'about:blank') await checkLook(page, 'another account');
      await button(page, 'Stay signed in').click();
      await name.waitFor();
    }
    await page.goto(link);
    await button(page, 'Use the link').click();
    await page.getByText('Mallory, planner').waitFor();
    // Chromium reports each answer that is no success.
    assert.deepEqual(
      complaints.filter((text) => !text.includes('409')),
      [],
    );
  });

  test('asks what only the planner can know, shows every change, imports it and takes it back', async (t) => {
    const { page, slug, complaints } = await open(t, {
      shifts: [shift('2026-12-01', { id: 900 })],
      look: PHONE,
    });
    await choose(page, UNCLEAR);
    const questions = region(page, 'Questions');
    await questions.waitFor();
    assert.equal(await focused(page), 'Questions');
    await checkLook(page, 'Questions');
    await button(page, 'Read again').click();
    const alert = page.getByRole('alert');
    await alert.getByText(/^Still to be answered: .*How dates are written/).waitFor();
    await questions.getByRole('radio', { name: 'the 3rd of June' }).check();
    await questions.getByLabel('Published from').fill('2026-11-01');
    await button(page, 'Read again').click();
    await alert.getByText('Still to be answered: Group of all rows.', { exact: true }).waitFor();
    const group = questions.getByRole('textbox', { name: 'Group of all rows' });
    assert.equal(await group.getAttribute('placeholder'), 'Something else');
    await group.fill('Bar & <i>Grill</i>');
    await page.keyboard.press('Enter');

    await counts(page, '2 added, 0 changed, 0 removed, 0 unchanged');
    const preview = region(page, 'Preview');
    await preview.getByText('Groups: 1 added. People: 2 added.').waitFor();
    assert.match(
      await preview.locator('.counts').innerText(),
      /^Plan <i>\.csv: 2 added/,
      'it says of which file it is',
    );
    const importIt = button(page, 'Import');
    const background = () =>
      page.evaluate("getComputedStyle(document.querySelector('.summary .primary')).backgroundColor");
    const enabled = await background();
    await importIt.evaluate((element) => element.setAttribute('aria-disabled', 'true'));
    assert.notEqual(await background(), enabled, 'its text is grey then');
    await importIt.evaluate((element) => element.removeAttribute('aria-disabled'));
    const changes = preview.getByRole('listitem').filter({ hasText: /Added\s*18:30/ });
    await preview.getByText('Thursday, 3 June 2027').scrollIntoViewIfNeeded();
    await changes.waitFor();
    assert.match(
      await changes.innerText(),
      /Added\s+18:30 to 2027-06-04 01:00, Bar & <i>Grill<\/i>, Noor\s+bring <b>keys<\/b>$/,
    );
    await preview.locator('shift-calendar').getByText('Noor · Bar & <i>Grill</i>').first().waitFor();

    await checkLook(page, 'Preview');

    // Back and forth within the import.
    await page.goBack();
    await questions.waitFor();
    await page.goForward();
    await counts(page, '2 added');

    // What was answered is what the questions begin with.
    await button(page, 'Change answers').click();
    await questions.waitFor();
    assert.equal(await questions.getByRole('radio', { name: 'the 3rd of June' }).isChecked(), true);
    assert.equal(await questions.getByLabel('Published from').inputValue(), '2026-11-01');
    await questions.getByRole('radio', { name: 'the 6th of March' }).check();
    await button(page, 'Read again').click();
    await preview.getByText('Saturday, 6 March 2027').waitFor();
    await page.reload();
    await counts(page, '2 added');

    await button(page, 'Import').click();
    await region(page, 'Imported').waitFor();
    assert.equal(await focused(page), 'Imported');
    const dates = async () => {
      const account = await desk.store.findAccount(slug);
      const { shifts } = await desk.store.shiftsBetween(account?.id ?? 0, '2000-01-01', '2100-01-01', 10);
      return shifts.map(({ date }) => date);
    };
    assert.deepEqual(await dates(), ['2026-12-01', '2027-03-06', '2027-04-06']);
    await button(page, 'Undo').click();
    await region(page, 'Taken back').getByText('is taken back').waitFor();
    assert.deepEqual(await dates(), ['2026-12-01']);
    assert.deepEqual(complaints, []);
    // Each file that is read costs a process.
    if (!isLong) return;

    // The next file of this layout is read with the same answers, and says so.
    await choose(page, [UNCLEAR[0], UNCLEAR[1].replace('17:00', '99:00')]);
    const mistakes = region(page, 'Mistakes');
    await mistakes.getByText('line 3, to: "99:00" is not a time').waitFor();
    await mistakes.getByText('How dates are written: month/day/year (kept)').waitFor();
    await mistakes.getByText('was imported on 2026-11-18').waitFor();
    await checkLook(page, 'Mistakes with answers');
    await button(page, 'Change answers').click();
    await questions.getByRole('radio', { name: 'the 3rd of June' }).check();
    await button(page, 'Read again').click();
    await mistakes.getByText('How dates are written: day/month/year', { exact: true }).waitFor();
    assert.deepEqual(complaints, []);
  });

  test('asks who is meant by what is more than a name, and once about all that are probably people', async (t) => {
    const people = [{ id: 1, name: 'Ada' }];
    const { page, complaints } = await open(t, { rest: { people }, look: PHONE });
    const names = ['Ada (tbc)', 'Ada or Bo', 'Ada 38h', 'Anna', 'Anna Maria', 'Happy hour'];
    const rows = names.map((name, i) => `2026-12-0${i + 1},9:00,17:00,Kitchen,${name},2026-11-01`);
    await choose(page, ['plan.csv', ['Date,Start,End,Team,Name,Published', ...rows].join('\n')]);
    const who = (text: string) => page.getByRole('group', { name: `Who is meant by "${text}"`, exact: true });
    await who('Ada (tbc)').getByLabel('Ada', { exact: true }).check();
    await who('Ada or Bo').getByRole('combobox').fill('Ada; Cy');
    await checkLook(page, 'who is meant');
    await button(page, 'Read again').click();
    const likely = page.getByRole('group', { name: 'Are these people?', exact: true });
    await likely.waitFor();
    await checkLook(page, 'probably people');
    await who('Ada 38h').getByLabel('Nobody').check();
    assert.ok(await who('Anna Maria').getByLabel('A person of this name').isChecked());
    await button(page, 'Read again').click();
    await page.getByText('New people: Cy, Anna, Anna Maria, Happy hour.').waitFor();
    assert.deepEqual(complaints, []);
  });

  test('takes back what it has imported, and nothing that came after', async (t) => {
    const { page, slug } = await open(t);
    await choose(page, PLAN);
    await button(page, 'Import').click();
    await region(page, 'Imported').waitFor();
    await desk.import({ account: { slug }, people: [{ id: 77, name: 'Late' }] });
    await page.reload();
    await button(page, 'Undo').click();
    await page.getByRole('alert').getByText(`Another import into ${slug} came after that one`).waitFor();
    assert.equal(await button(page, 'Undo').count(), 0, 'it is not offered any more');
    const account = await desk.store.findAccount(slug);
    assert.equal((await desk.store.history(account?.id ?? 0))[0]?.action, 'import');
  });

  test('leads from a mistake to its cell', async (t) => {
    const { page } = await open(t, { look: PHONE });
    await choose(page, [`${LONG}.csv`, WRONG[1]]);
    const mistakes = region(page, 'Mistakes');
    await mistakes.getByRole('button', { name: '"25:00" is not a time' }).click();
    assert.match(String(await focused(page)), /^25:00/);
    assert.deepEqual(await mistakes.getByRole('columnheader').allInnerTexts(), ['Row', ...'ABCDEFG']);
    assert.equal(
      await mistakes.getByRole('row').filter({ hasText: '25:00' }).getByRole('rowheader').innerText(),
      '4',
    );
    await checkLook(page, 'Mistakes');
    await button(page, 'Discard').click();
    await page.getByRole('status').getByText('Nothing was imported').waitFor();
    assert.equal(await mistakes.count(), 0);
  });

  test('asks about a column that holds names, and shows what became of each cell, in words', async (t) => {
    const { page } = await open(t, { look: { ...PHONE, colorScheme: 'dark' } });
    const rows = 'Plan,,,,,,,\nDate,Start,End,Team,Name,Published,Cover,Colour\n';
    const ada = '2026-12-01,9:00,17:00,Kitchen,Ada,2026-11-01,Bo,red\n';
    const bo = '2026-12-02,9:00,17:00,Kitchen,Bo,2026-11-01,,red\nTotal,,16,,,,,\n';
    await choose(page, ['plan.csv', rows + ada + bo]);
    await page.getByLabel('Leave out Cover').check();
    await button(page, 'Read again').click();
    await page.getByText('The sheet as it was read').click();
    const table = region(page, 'Preview').getByRole('table', { name: 'plan.csv' });
    const headed = async (role: 'columnheader' | 'rowheader') =>
      (await table.getByRole(role).allInnerTexts()).map((text) => text.replaceAll(/\s+/g, ' ').trim());
    assert.deepEqual((await headed('columnheader')).slice(5), [
      'E person',
      'F publish date',
      'G left out',
      'H left out',
    ]);
    assert.deepEqual(await headed('rowheader'), [
      '1 left out: above the headings',
      '2 heading',
      '3',
      '4',
      '5 left out: a total',
    ]);
    await checkLook(page, 'The sheet as it was read');
  });

  test('asks what becomes of shifts that are not in the file, and imports nothing but what it shows', async (t) => {
    const shifts = ['2026-11-01', '2026-12-01', '2026-12-01', '2026-12-02'].map((date, i) =>
      shift(date, { id: 900 + i, start_time: '06:00', person_id: null }),
    );
    const { page, slug } = await open(t, { shifts });
    await choose(page, [PLAN[0], PLAN[1].replaceAll(/2026-12-0(\d)/g, '$1/12/2026')]);
    await page.getByRole('radio', { name: 'the 1st of December' }).check();
    await button(page, 'Read again').click();
    await counts(page, '2 added, 0 changed, 0 removed, 0 unchanged');
    const left = page.getByRole('group', { name: 'Shifts that are not in the file' });
    await left.getByText('3 shifts of Kitchen').waitFor();
    await button(page, 'Import').click();
    await page.getByRole('alert').getByText('Choose what becomes of the shifts').waitFor();
    assert.equal(await left.getByRole('radio', { checked: true }).count(), 0);
    await left.getByLabel('Remove them').check();
    const again = page.getByRole('group', { name: 'Removals' });
    await again.getByLabel('Remove them').check();
    await button(page, 'Read again').click();
    await counts(page, '2 added, 0 changed, 3 removed, 0 unchanged');
    const removed = region(page, 'Preview').getByRole('listitem').filter({ hasText: 'Removed' });
    assert.match(await removed.first().innerText(), /−\s+Removed\s+06:00 to 17:00, Kitchen/);
    if (isLong) {
      await checkLook(page, 'Preview');
      // The permission is for what was shown.
      await button(page, 'Change answers').click();
      await page.getByRole('radio', { name: 'the 1st of December' }).waitFor();
      await button(page, 'Read again').click();
      assert.equal(await again.getByLabel('Remove them').isChecked(), false);
      await again.getByLabel('Remove them').check();
      await button(page, 'Read again').click();
      await counts(page, '2 added, 0 changed, 3 removed, 0 unchanged');
    }
    await left.getByLabel('Keep them').check();
    await counts(page, '2 added, 0 changed, 0 removed, 0 unchanged');

    // Somebody else writes meanwhile.
    const ada = { id: 1, date: '2026-12-01', person_id: null };
    await desk.import({ account: { ...ACME, slug }, groups: [KITCHEN], shifts: [shift('2026-12-01', ada)] });
    await button(page, 'Import').click();
    await page.getByRole('alert').getByText('has changed since').waitFor();
    await counts(page, '1 added, 1 changed, 0 removed, 0 unchanged');
    const changed = region(page, 'Preview').getByRole('listitem').filter({ hasText: 'Changed' });
    assert.match(await changed.innerText(), /~\s+Changed\s+.*person: none\s+becomes\s+→ <b>Ada<\/b> Lima/s);
  });

  test('takes a file that is dropped anywhere, and loads many changes a slice at a time', async (t) => {
    const { page, addresses } = await open(t);
    const rows = often(1_000, 5_000);
    const dateOf = (i: number) => new Date(Date.UTC(2026, 11, 1 + i / 20)).toISOString().slice(0, 10);
    const lines = Array.from(
      { length: rows },
      (_, i) => `${i + 1},${dateOf(i)},09:00,17:00,Kitchen,,2026-11-01`,
    );
    await page.getByRole('tab', { name: 'History' }).click();
    await drop(page, ['big.csv', `${HEAD}\n${lines.join('\n')}\n`]);
    await counts(page, `${rows} added`);
    assert.equal(await page.getByRole('tab', { name: 'Import' }).getAttribute('aria-selected'), 'true');
    const shown = page.locator('.change');
    await shown.nth(19).waitFor();
    const slices = () => addresses.filter((address) => address.includes('/changes?')).length;
    assert.equal(slices(), 1);
    const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
    assert.ok(height < 8_000, `the page has ${height} pixels`);
    await page.locator('summary').nth(49).click();
    await page.locator('details').nth(49).getByRole('listitem').nth(19).waitFor();
    assert.ok((await shown.count()) < rows / 2, `${await shown.count()} are laid out`);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth > innerWidth'), false);
  });

  test('shows Sign in with the reason when the key is revoked, and tries again when the desk cannot be reached', async (t) => {
    const { page, slug } = await open(t);
    await page.route('**/api/history', (route) => route.abort());
    await page.getByRole('tab', { name: 'History' }).click();
    await page.getByRole('alert').getByText('could not be reached').waitFor();
    await page.unroute('**/api/history');
    await button(page, 'Try again').click();
    await page.getByRole('table', { name: 'History' }).getByRole('cell', { name: 'Import' }).waitFor();
    assert.equal(await page.getByRole('alert').isVisible(), false);

    const account = await desk.store.findAccount(slug);
    await desk.store.revokeDeskKeys(account?.id ?? 0, { name: 'Noor' }, desk.nowMs);
    await page.getByRole('tab', { name: 'Shifts' }).click();
    await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor();
    await page.getByRole('alert').getByText('open the link that you were given').waitFor();
  });

  test('says how many files the desk counts before one, and asks for the same file again after the connection was lost', async (t) => {
    const { page } = await open(t);
    let [polls, uploads] = [0, 0];
    page.on('request', (request) => void (request.method() === 'POST' && uploads++));
    const seen = Promise.withResolvers<void>();
    await page.route(/api\/imports\/[\w-]+$/, async (route) => {
      polls++;
      if (polls === 2) return seen.promise.then(() => route.abort());
      const response = await route.fetch();
      const waiting = { ...(await response.json()), state: 'waiting', ahead: 2, result: undefined };
      await route.fulfill(polls === 1 ? { json: waiting } : { response });
    });
    await choose(page, PLAN);
    await page.getByRole('status').getByText('Waiting to read plan.csv: 2 before it').waitFor();
    seen.resolve();
    await page.getByRole('alert').getByText('could not be reached').waitFor();
    // The file still waits, and nobody asks for it meanwhile.
    assert.equal(polls, 2);
    await button(page, 'Try again').click();
    await counts(page, '2 added');
    assert.equal(await page.getByRole('alert').isVisible(), false);
    assert.equal(uploads, 1);
  });

  test('does not call unreachable what was sent and not answered in time', async (t) => {
    const { page } = await open(t, { role: 'owner' });
    await page.getByRole('tab', { name: 'Settings' }).click();
    await region(page, 'Account').waitFor();
    // Half a minute, at once.
    await page.route('**/api/settings', () => undefined);
    await page.evaluate(
      'AbortSignal.timeout = () => AbortSignal.abort(new DOMException("", "TimeoutError"))',
    );
    await button(page, 'Save').click();
    await page.getByRole('alert').getByText('It may be done nevertheless: load the page again').waitFor();
    assert.equal(await page.getByRole('alert').getByRole('button').count(), 0);
  });

  test('asks for each day of a full month once', async (t) => {
    const { page } = await open(t);
    const asked: string[] = [];
    await page.route(/api\/shifts\?from=[\d-]+&to=[\d-]+$/, async (route) => {
      const { searchParams } = new URL(route.request().url());
      const [from, to] = ['from', 'to'].map((name) => searchParams.get(name));
      asked.push(`${from} ${to}`);
      if (asked.length > 200) return route.abort();
      await route.fulfill({ json: { shifts: [], more: from !== to } });
    });
    await page.getByRole('tab', { name: 'Shifts' }).click();
    // The calendar may give up its first question for one with the same days.
    const spans = () =>
      asked
        .slice(asked.lastIndexOf(asked[0] ?? ''))
        .map((one) => one.split(' ') as [from: string, to: string]);
    // Other months may be asked for later.
    const days = () => spans().filter(([from, to]) => from === to && to <= (spans()[0]?.[1] ?? ''));
    await until('the last day is asked for', () => days().some(([day]) => day === spans()[0]?.[1]));
    const [first, last] = spans()[0] ?? ['', ''];
    const dates = [];
    for (let at = Date.parse(first); at <= Date.parse(last); at += 86_400_000)
      dates.push(new Date(at).toISOString().slice(0, 10));
    assert.ok(dates.length >= 28);
    assert.deepEqual(
      days().map(([day]) => day),
      dates,
    );
  });

  test('shows an owner a token once, revokes it after asking once, and invites a planner', async (t) => {
    const { page, slug, complaints } = await open(t, { role: 'owner', look: PHONE });
    const tokens = page.getByRole('tab', { name: 'Tokens' });
    await desk.import({ account: { slug, premium: false } });
    await tokens.click();
    const sleeping = region(page, 'Tokens').getByText(
      'This account is not premium, so its tokens do not work.',
    );
    await sleeping.waitFor();
    await desk.import({ account: { slug, premium: true } });
    await tokens.click();
    await sleeping.waitFor({ state: 'hidden' });
    await page.getByLabel('Label').fill('web <b>site</b>');
    await button(page, 'New token').click();
    assert.match(await page.getByRole('textbox', { name: 'Token', exact: true }).inputValue(), /^shiftfeed_/);
    await button(page, 'Copy').waitFor();
    await checkLook(page, 'Tokens');
    await button(page, 'Revoke').click();
    await page.getByRole('dialog').getByText('web <b>site</b>').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('cell', { name: 'Live' }).waitFor();
    await button(page, 'Revoke').click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('cell', { name: 'Revoked' }).waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'Token', exact: true }).count(), 0);

    await page.getByRole('tab', { name: 'Settings' }).click();
    const invitations = region(page, 'Invitations');
    await button(page, 'Invite').click();
    await page.getByRole('alert').getByText('Say in Name who is invited.').waitFor();
    await invitations.locator('input:focus').waitFor();
    await invitations.getByLabel('Name').fill('Ada');
    await button(page, 'Invite').click();
    const link = await invitations.getByLabel('Link').inputValue();
    assert.deepEqual(complaints, []);
    const other = await browser?.newPage();
    assert.ok(other);
    await other.goto(link);
    await other.getByText('Ada, planner').waitFor();
    await other.close();
  });

  test('lets an owner change settings, groups and people, and forget somebody', async (t) => {
    const people = Array.from({ length: 30 }, (_, i) => ({ id: i + 1, name: `Person ${i + 1}` }));
    const { page, slug } = await open(t, {
      role: 'owner',
      rest: { people },
      shifts: [shift('2026-12-01', { person_id: 30 })],
    });
    await page.getByRole('tab', { name: 'Settings' }).click();
    const account = region(page, 'Account');
    await account.getByLabel('Time zone').selectOption('Europe/Lisbon');
    await account.getByLabel('Name').fill('Pier');
    await button(page, 'Save').click();
    await page.getByRole('status').getByText('Saved.').waitFor();
    assert.equal(await page.locator('h1 strong').innerText(), 'Pier');
    await page.getByLabel('Active: Kitchen').uncheck();
    await page.getByLabel('Find people').fill('person 30');
    await page.getByLabel('Name: Person 30').fill('Bo');
    await page.keyboard.press('Enter');
    await page.getByLabel('Name: Person 30').blur();
    const stored = async () => {
      const { id = 0, name, timeZone } = (await desk.store.findAccount(slug)) ?? {};
      const [group] = await desk.store.list('groups', id);
      const names = (await desk.store.list('people', id)).map((person) => person.name);
      return { name, timeZone, active: Boolean(group?.active), names };
    };
    await until('Bo is stored', async () => (await stored()).names.includes('Bo'));
    await button(page, 'Forget').click();
    await page.getByRole('dialog').getByText('Their shift stays, as an open one').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Forget' }).click();
    await page.getByRole('status').getByText('is forgotten').waitFor();
    const { names, ...rest } = await stored();
    assert.deepEqual(rest, { name: 'Pier', timeZone: 'Europe/Lisbon', active: false });
    assert.equal(names.length, 29);
  });

  test('marks in words what is not published or not active, in table and calendar', async (t) => {
    const groups = [KITCHEN, { id: 2, name: 'Bar', active: false, private: false }];
    const later = { publish_date: '2026-11-30' };
    const { page } = await open(t, {
      rest: { groups },
      shifts: [shift('2026-11-19', later), shift('2026-11-20', { group_id: 2 })],
    });
    await page.getByRole('tab', { name: 'Shifts' }).click();
    const rows = page.getByRole('table', { name: 'Shifts' }).getByRole('row');
    await rows.filter({ hasText: 'Kitchen' }).getByText('Not published before 2026-11-30').waitFor();
    await rows.filter({ hasText: 'Bar' }).getByText('Inactive group').waitFor();
    const calendar = page.locator('shift-calendar');
    await calendar.getByRole('button', { name: 'List' }).click();
    await calendar.getByText('unpublished · Kitchen').waitFor();
    await calendar.getByText('inactive · Bar').waitFor();
    await page.getByLabel('from', { exact: true }).fill('2026-12-01');
    await page.getByText('There are no shifts on these days.').waitFor();
  });

  test('is used by keyboard alone, and the address remembers the tab', async (t) => {
    const groups = Array.from({ length: 25 }, (_, i) => ({ ...KITCHEN, id: i + 1, name: `Group ${i + 1}` }));
    const { page } = await open(t, { role: 'owner', rest: { groups } });
    await page.getByRole('tab', { name: 'Import' }).focus();
    for (const [key, name] of [
      ['ArrowLeft', 'Settings'],
      ['Home', 'Import'],
      ['ArrowRight', 'History'],
    ] as const) {
      await page.keyboard.press(key);
      assert.equal(await focused(page), name);
    }
    assert.equal(new URL(page.url()).hash, '#history');
    await page.reload();
    await region(page, 'History').waitFor();
    await page.keyboard.press('Home');
    await page.evaluate('location.hash = "import"');
    await button(page, 'Choose a file').waitFor();
    await page.goBack();
    await region(page, 'History').waitFor();
    await page.goForward();
    const opened = page.waitForEvent('filechooser');
    await button(page, 'Choose a file').press('Enter');
    await (await opened).setFiles({
      name: UNCLEAR[0],
      mimeType: 'text/csv',
      buffer: Buffer.from(UNCLEAR[1]),
    });
    await region(page, 'Questions').waitFor();
    await page.keyboard.press('Tab');
    const group = page.getByRole('combobox', { name: 'Group of all rows' });
    await page.keyboard.type('Group 17');
    await page.keyboard.press('Tab');
    assert.equal(await group.locator('option:checked').innerText(), 'Group 17');
  });

  const LOOKS: readonly [name: string, look: BrowserContextOptions][] = [
    ['on a narrow phone', PHONE],
    ['on a desktop, dark', { colorScheme: 'dark' }],
    ['on a desktop with forced colours', { forcedColors: 'active' }],
  ];
  for (const [name, look] of often([], LOOKS)) {
    test(`is accessible ${name} with names of any length, and scrolls in one direction`, async (t) => {
      const rest = { people: [{ id: 1, name: LONG }], locations: [{ id: 1, name: LONG, address: LONG }] };
      const shifts = [shift('2026-12-01', { id: 9, person_id: 1, location_id: 1, remarks: LONG })];
      const { page } = await open(t, { role: 'owner', rest, shifts, look });
      for (const [file, title] of [
        [UNCLEAR, 'Questions'],
        [WRONG, 'Mistakes'],
        [PLAN, 'Preview'],
      ] as const) {
        await choose(page, [`${LONG}.csv`, file[1]]);
        await region(page, title).waitFor();
        await checkLook(page, title);
      }
      await page.getByLabel('Keep them').check();
      await button(page, 'Import').click();
      await button(page, 'Undo').waitFor();
      for (const tab of ['History', 'Shifts', 'Tokens', 'Settings']) {
        await page.getByRole('tab', { name: tab }).click();
        await page.getByRole('heading', { level: 2 }).locator('visible=true').first().waitFor();
        await checkLook(page, tab);
      }
    });
  }
});

/** As code, because tests know nothing of browsers. */
function drop(page: Page, [name, text]: File): Promise<void> {
  return page.evaluate(`
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}));
    for (const type of ['dragenter', 'dragover', 'drop'])
      document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));`);
}
