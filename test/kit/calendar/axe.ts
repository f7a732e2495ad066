/** What axe-core finds wrong with a page, for assertions. */

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const script = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Each rule that is broken, of all or of these, with the elements that break it. */
export async function violations(page: Page, rules?: readonly string[]): Promise<unknown> {
  // Compiling it takes half as long as running it.
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(script);
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  return page.evaluate(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations.map(({ id, nodes }) => [id, ...nodes.map(({ target, failureSummary }) => target.join(' ') + ' ' + failureSummary)]))`);
}
