import assert from 'node:assert/strict';
import { after, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { violations } from '../kit/calendar/axe.ts';
import { browserTest, connectBrowser, hasBrowser, type Watched, watchPage } from '../support/browser.ts';
import { acme, shift } from '../support/document.ts';
import { type Service, startService } from '../support/service.ts';
import { isLong } from '../support/strength.ts';
import { until } from '../support/until.ts';

const browser = hasBrowser() ? await connectBrowser({ after }) : undefined;

browserTest(
  'in a browser, the page opens with its operation, tells its headers once and tries it out, without a complaint or a request elsewhere',
  async (context) => {
    const service = await startService(context, { now: '2026-11-15T12:00:00Z' });
    await service.import(acme([shift('2026-12-01', { remarks: 'seen in a browser' })]));
    const { page, complaints, addresses } = await openPage(context, service);

    assert.equal(await page.title(), 'Shiftfeed API');
    await authorise(page, await service.token('acme'));
    const operation = page.locator('#operations-Shifts-listShifts');
    await operation.getByRole('button', { name: 'Try it out' }).click();
    await operation.locator('[data-param-name="account"] input').fill('acme');
    await operation.getByRole('button', { name: 'Execute' }).click();
    const answer = operation.locator('.live-responses-table tbody');
    assert.match(await answer.locator('.response-col_status').innerText(), /^200/);
    assert.match(await answer.locator('.response-col_description').innerText(), /seen in a browser/);

    const headers = await operation
      .locator('.responses-table:not(.live-responses-table) .header-col:first-child')
      .allInnerTexts();
    assert.equal(headers.filter((name) => name === 'ETag').length, 1);
    assert.equal(headers.filter((name) => name === 'Access-Control-Allow-Origin').length, 1);
    assert.ok(headers.includes('WWW-Authenticate') && headers.includes('Retry-After'));

    const kept = 'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])';
    assert.equal(await page.evaluate(kept), '[{},{},""]', 'the token is gone with the page');
    assert.deepEqual(complaints, []);
    assert.ok(addresses.some((address) => address.includes('/acme/api/v1/shifts')));
    for (const address of addresses) assert.match(address, new RegExp(`^(${service.url}/|data:)`));
  },
);

if (isLong) {
  browserTest(
    'in a browser, the page is dark for those who prefer that, with light text in its tables',
    async (context) => {
      const service = await startService(context, { now: '2026-11-15T12:00:00Z' });
      const { page, complaints } = await openPage(context, service, { colorScheme: 'dark' });
      const brightness = (selector: string, property: string) =>
        page.evaluate<number>(
          `Math.max(...getComputedStyle(document.querySelector('${selector}')).${property}.match(/\\d+/g).slice(0, 3))`,
        );
      for (const background of ['body', '.swagger-ui', '.swagger-ui select', '.renderedMarkdown code'])
        assert.ok((await brightness(background, 'backgroundColor')) < 64, background);
      for (const text of [
        'header',
        '.renderedMarkdown p',
        '.renderedMarkdown td',
        '.header-col',
        '.renderedMarkdown code',
      ])
        assert.ok((await brightness(text, 'color')) > 192, text);
      await page.emulateMedia({ colorScheme: 'light' });
      // The page hears of it a moment later.
      await until('the page is light', async () => (await brightness('body', 'backgroundColor')) === 255);
      await until('its text is dark', async () => (await brightness('.renderedMarkdown p', 'color')) < 96);
      assert.deepEqual(complaints, []);
    },
  );
}

for (const colorScheme of ['light', 'dark'] as const) {
  browserTest(
    `in a browser, everybody can read and use the page, in ${colorScheme} colours`,
    async (context) => {
      const service = await startService(context, { now: '2026-11-15T12:00:00Z' });
      await service.import(acme([shift('2026-12-01')]));
      const { page } = await openPage(context, service, {
        colorScheme,
        reducedMotion: 'reduce',
        bypassCSP: true,
      });
      const operation = page.locator('#operations-Shifts-listShifts');
      await operation.locator('.opblock-body').waitFor();
      assert.deepEqual(await violations(page), []);
      await page.locator('.scheme-container .authorize').click();
      await page.locator('.dialog-ux input').waitFor();
      assert.deepEqual(await violations(page), []);
      await page.locator('.dialog-ux').getByRole('button', { name: 'Close' }).last().click();
      await operation.getByRole('button', { name: 'Try it out' }).click();
      await operation.locator('[data-param-name="account"] input').fill('acme');
      await operation.getByRole('button', { name: 'Execute' }).click();
      await operation.locator('.live-responses-table tbody').waitFor();
      assert.deepEqual(await violations(page), []);
      // Nothing on the page adds to the history: one step back leaves it.
      assert.equal(await page.evaluate('history.length'), 2);
    },
  );
}

interface OpenPage extends Watched {
  readonly page: Page;
}

async function openPage(context: TestContext, service: Service, options: object = {}): Promise<OpenPage> {
  const page = await browser?.newPage(options);
  assert.ok(page);
  context.after(() => page.close());
  const watched = watchPage(page);
  await page.goto(`${service.url}/docs`);
  await page.locator('.opblock').first().waitFor();
  return { page, ...watched };
}

async function authorise(page: Page, token: string): Promise<void> {
  await page.locator('.scheme-container .authorize').click();
  const dialog = page.locator('.dialog-ux');
  await dialog.locator('input').fill(token);
  await dialog.getByRole('button', { name: 'Authorize', exact: true }).click();
  await dialog.getByRole('button', { name: 'Close' }).last().click();
}
