import assert from 'node:assert/strict';
import { after, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { violations } from '../kit/calendar/axe.ts';
import { browserTest, connectBrowser, hasBrowser, type Watched, watchPage } from '../support/browser.ts';
import { acme, shift } from '../support/document.ts';
import { startService } from '../support/service.ts';
import { often } from '../support/strength.ts';
import { until } from '../support/until.ts';

const service = await startService({ after }, { now: '2026-11-15T12:00:00Z' });
await service.import(acme([shift('2026-11-15', { remarks: 'seen in a browser' })]));
const browser = hasBrowser() ? await connectBrowser({ after }) : undefined;

browserTest(
  'in a browser, requests of the manual open in one explorer, which keeps the token and asks what they ask',
  async (context) => {
    const { page, complaints, addresses } = await openPage(context);
    assert.equal(await page.title(), 'Shiftfeed API');
    const opened = page.waitForEvent('popup');
    await page.getByRole('link', { name: '"$SHIFTS?day=2026-11-15"' }).click();
    const explorer = await opened;
    const asked = explorer.locator('#request-line');
    await asked.getByText('?day=2026-11-15&per_page=25').waitFor();
    await explorer.getByLabel('Account', { exact: true }).fill('acme');
    await explorer.getByLabel('Token', { exact: true }).fill(await service.token('acme'));
    await explorer.getByRole('button', { name: 'List shifts' }).click();
    await explorer.getByText('seen in a browser', { exact: true }).waitFor();

    // The manual that the explorer opens leads back to it, too.
    const again = explorer.waitForEvent('popup');
    await explorer.getByRole('link', { name: 'API reference' }).click();
    const reference = await again;
    await reference.getByRole('link', { name: '"$SHIFTS?date_to=2026-11-14"' }).click();
    await asked.getByText('?date_to=2026-11-14&per_page=25').waitFor();
    assert.equal(await explorer.getByLabel('Account', { exact: true }).inputValue(), 'acme');
    await reference.close();

    const links = await page.locator('main a[target]').all();
    for (const link of links.filter((_, i) => i % often(4, 1) === 0)) {
      const [, query = ''] = (await link.getAttribute('href'))?.split('#') ?? [];
      await link.click();
      await until(`the explorer asks for ${query}`, async () => {
        const [, shown = ''] = (await asked.innerText()).split('?');
        return parametersOf(shown, query) === parametersOf(query, query);
      });
    }
    assert.equal(page.context().pages().length, 2);
    assert.deepEqual(complaints, []);
    for (const address of addresses) assert.match(address, new RegExp(`^(${service.url}/|data:)`));
  },
);

browserTest('in a browser, everybody can read the page, in light and dark colours', async (context) => {
  const { page } = await openPage(context, { bypassCSP: true });
  const brightness = (property: string) =>
    page.evaluate<number>(
      `Math.max(...getComputedStyle(document.body).${property}.match(/\\d+/g).slice(0, 3))`,
    );
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const [paper, ink] = [await brightness('backgroundColor'), await brightness('color')];
    assert.equal(paper > ink, colorScheme === 'light');
    assert.deepEqual(await violations(page, often(['color-contrast'], undefined)), [], colorScheme);
  }
  // On a phone, nothing is wider than the window.
  await page.setViewportSize({ width: 360, height: 740 });
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360);
  assert.deepEqual(await violations(page), []);
});

/** In an order of their own. The explorer always has a size of pages, and writes no first page. */
function parametersOf(text: string, example: string): string {
  const parameters = [...new URLSearchParams(text)]
    .filter(([name]) => name !== 'per_page' || example.includes(name))
    .map(([name, value]) => `${name}=${value.split(',').sort()}`);
  return parameters
    .filter((parameter) => parameter !== 'page=1')
    .sort()
    .join('&');
}

interface OpenPage extends Watched {
  readonly page: Page;
}

async function openPage(context: TestContext, options: object = {}): Promise<OpenPage> {
  const page = await browser?.newPage(options);
  assert.ok(page);
  context.after(() => page.context().close());
  const watched = watchPage(page);
  await page.goto(`${service.url}/docs`);
  return { page, ...watched };
}
