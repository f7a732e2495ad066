/** The recipe of docs/website.md for Next, built and started by a real Next, and seen by a real browser. */

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { browserFiles } from '@shiftfeed/calendar/browser-files';
import { installKit } from '../packaging/kit.ts';
import { connectBrowser, hasBrowser, watchPage } from '../support/browser.ts';
import { acme, shift } from '../support/document.ts';
import { installFromRegistry, withoutNpm } from '../support/from-registry.ts';
import { startService } from '../support/service.ts';

const MANUAL = readFileSync(new URL('../../docs/website.md', import.meta.url), 'utf8');
/** The blocks that begin with the name of their file. */
const RECIPE = Object.fromEntries(
  [...MANUAL.matchAll(/^```jsx?\n\/\/ (app\S+)\n(.*?)^```$/gms)].map(([, file = '', code]) => [file, code]),
);
/** What a site has besides. */
const SITE = {
  'package.json': '{ "private": true }',
  'app/layout.js': `export default function Layout({ children }) {
    return <html lang="en"><head><link rel="icon" href="data:," /></head><body>{children}</body></html>;
  }`,
  'app/chosen/page.js': `import { Rota } from '../rota';
  export default function Page() { return <Rota />; }`,
};
const BUILD_LIMIT_MS = 10 * 60_000;
const TOMORROW = Temporal.Now.plainDateISO('UTC').add({ days: 1 }).toString();

test('a site of Next has the gateway as a route and the calendar as a component', async (context) => {
  if (!hasBrowser()) return context.skip(process.env.TEST_NO_BROWSER);
  // On disk: Next and what it needs are 380 MB.
  const site = await mkdtemp(join(tmpdir(), 'shiftfeed-next-'));
  context.after(() => rm(site, { recursive: true, force: true }));
  assert.deepEqual(Object.keys(RECIPE), ['app/rota/[...path]/route.js', 'app/page.js', 'app/rota.js']);
  await writeFiles(site, { ...SITE, ...RECIPE });
  const missing = await installFromRegistry(site, ['next@16', 'react@19', 'react-dom@19']);
  if (missing !== undefined) return context.skip(missing);
  await installKit(site);
  const url = await startSite(context, site);

  for (const { name, bytes } of browserFiles()) {
    const script = await fetch(`${url}/rota/${name}`, { headers: { 'accept-encoding': 'gzip' } });
    assert.equal(script.headers.get('content-encoding'), 'gzip', name);
    assert.deepEqual(await script.bytes(), bytes, name);
  }
  const rendered = await (await fetch(url)).text();
  assert.match(rendered, /<shift-calendar src="\/rota\/kitchen\/shifts" view="week">/);

  const browser = await connectBrowser(context);
  const page = await browser.newPage();
  const { complaints } = watchPage(page);
  await page.goto(`${url}/chosen`);
  await page.locator('shift-calendar [part~="shift"]', { hasText: 'Kitchen' }).click();
  await page.getByText(`Chosen: ${TOMORROW}`).waitFor();
  await page.goto(url);
  await page.locator('shift-calendar [part~="week"]').waitFor();
  // The gateway's own page.
  await page.goto(`${url}/rota/kitchen`);
  await page.locator('shift-calendar [part~="shift"]', { hasText: 'Kitchen' }).waitFor();
  assert.deepEqual(complaints, []);
});

/** Builds and starts the site, with an account behind it, and returns its address. */
async function startSite(context: TestContext, site: string): Promise<string> {
  const service = await startService(context, { now: Temporal.Now.instant().toString() });
  const account = { slug: 'demo', premium: true, time_zone: 'UTC' };
  await service.import(acme([shift(TOMORROW)], { account, groups: [{ id: 1, name: 'Kitchen' }] }));
  const config = { upstream: `${service.url}/demo`, feeds: { kitchen: { group_ids: [1] } } };
  await writeFiles(site, { 'website.json': JSON.stringify(config) });

  const env = {
    ...withoutNpm(process.env),
    NEXT_TELEMETRY_DISABLED: '1',
    NODE_ENV: 'production',
    SHIFTFEED_TOKEN: await service.token('demo'),
  };
  const next = join(site, 'node_modules/next/dist/bin/next');
  const options = { cwd: site, env };
  await promisify(execFile)(process.execPath, [next, 'build'], { ...options, timeout: BUILD_LIMIT_MS });
  const child = spawn(process.execPath, [next, 'start', '--hostname', '127.0.0.1', '--port', '0'], {
    ...options,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  context.after(() => child.kill('SIGKILL'));
  let url: string | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    url ??= /http:\S+/.exec(line)?.[0];
    if (url !== undefined && line.includes('Ready')) break;
  }
  assert.ok(url, 'Next did not start.');
  child.stdout.resume();
  return url;
}

async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  for (const [name, text = ''] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}
