/** A calendar on a page: its parts, what they say, and where the focus is. */

import { isDeepStrictEqual } from 'node:util';
import type { Locator, Page } from 'playwright-core';
import { until } from '../../support/until.ts';
import { allPlain, plain } from '../../support/wording.ts';

export function part(page: Page, name: string): Locator {
  return page.locator(`shift-calendar [part~="${name}"]`);
}

/** The plain texts of what a locator finds, once there is something. */
export async function texts(locator: Locator): Promise<string[]> {
  await locator.first().waitFor();
  return allPlain(await locator.allTextContents());
}

/** A view is drawn in slices: what is not there yet may come. */
export async function assertTexts(locator: Locator, expected: readonly string[]): Promise<void> {
  const wanted = allPlain(expected);
  await until(`these are the texts: ${wanted}`, async () => isDeepStrictEqual(await texts(locator), wanted));
}

export async function assertCount(locator: Locator, expected: number): Promise<void> {
  await until(`there are ${expected} of ${locator}`, async () => (await locator.count()) === expected);
}

export async function assertFocus(page: Page, text: string): Promise<void> {
  await until(`"${text}" has focus`, async () => (await focusedText(page)) === plain(text));
}

/** Presses keys, each of which must lead to what has this text. */
export async function walk(page: Page, steps: readonly [key: string, text: string][]): Promise<void> {
  for (const [key, text] of steps) {
    if (key !== '') await page.keyboard.press(key);
    await until(`${key} leads to "${text}"`, async () => (await focusedText(page)) === plain(text));
  }
}

/** What has focus, as it is read aloud. */
export async function focusedText(page: Page): Promise<string> {
  const text = await page.evaluate(`(() => {
    const focused = document.activeElement?.shadowRoot?.activeElement;
    return (focused?.querySelector('[part="spoken"]') ?? focused)?.textContent ?? '';
  })()`);
  return plain(String(text));
}

export async function refresh(page: Page): Promise<void> {
  await page.evaluate(`document.querySelector('shift-calendar').refresh()`);
}

export async function showView(page: Page, view: string): Promise<void> {
  await setAttributes(page, { view });
  await part(page, view).waitFor();
  await part(page, 'shift').first().waitFor();
}

export async function setAttributes(page: Page, attributes: Readonly<Record<string, string>>): Promise<void> {
  await page.evaluate(`for (const [name, value] of Object.entries(${JSON.stringify(attributes)}))
    document.querySelector('shift-calendar').setAttribute(name, value);`);
}

/** In how many rows elements stand. */
export async function rowsOf(locator: Locator): Promise<number> {
  const boxes = await Promise.all((await locator.all()).map((one) => one.boundingBox()));
  return new Set(boxes.map((box) => Math.round(box?.y ?? 0))).size;
}

export async function styleOf(page: Page, name: string, property: string, pseudo = ''): Promise<unknown> {
  return page.evaluate(`getComputedStyle(document.querySelector('shift-calendar').shadowRoot
    .querySelector('[part~="${name}"]'), ${JSON.stringify(pseudo)}).${property}`);
}
