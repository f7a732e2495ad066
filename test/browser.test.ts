/** The browser that tests run in, and what becomes of them without one. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { browserTest, type InstalledBrowser } from './support/browser.ts';
import { environment } from './support/cli.ts';
import { newFolder } from './support/database.ts';
import { environmentIn, folderName, unpackBrowser, unpackFonts } from './support/packaged-browser.ts';
import { isLong } from './support/strength.ts';

const IS_PACKAGED = process.platform === 'linux' && process.arch === 'x64';
const RUNNER = join(import.meta.dirname, 'run/main.ts');
const SUPPORT = join(import.meta.dirname, 'support/browser.ts');

test('the packaged browser is given the fonts of its package, wherever they are unpacked, and no others', async (t) => {
  const folder = await newFolder(t);
  await unpackFonts(join(folder, 'fonts'));
  const env = environmentIn(folder);
  const configuration = await readFile(env.FONTCONFIG_FILE ?? '', 'utf8');
  const folders = [...configuration.matchAll(/<dir>(.*?)<\/dir>/g)].map(([, dir = '']) => dir);
  assert.equal(folders.length, 1);
  const files = await readdir(folders[0] ?? '', { recursive: true });
  const fonts = files.filter((file) => file.endsWith('.ttf'));
  assert.ok(fonts.length > 0, files.join());
  const list = promisify(execFile)('fc-list', ['--format=%{file}\n'], { env: { ...process.env, ...env } });
  const listed = await list.catch((error) => {
    if (error.code !== 'ENOENT') throw error;
    t.diagnostic('fc-list is not installed');
  });
  if (listed !== undefined)
    assert.deepEqual(
      listed.stdout.trim().split('\n').toSorted(),
      fonts.map((font) => join(folders[0] ?? '', font)).toSorted(),
    );
});

test('where no browser shows text, tests in a browser are not run, and the end says why, once', async (t) => {
  const { code, stdout } = await runBrowserTests(t, { CHROMIUM: '/bin/false' });
  assert.equal(code, 0, stdout);
  const reason =
    /^2 tests were not run: no browser works \(the one that CHROMIUM names: .+\)\. Install Chromium .+$/m;
  assert.match(stdout, reason);
  assert.match(stdout, /^1 passed, 0 failed, 2 skipped$/m);
});

if (isLong)
  browserTest('where that of the package does not work, tests run in that of the machine', async (t) => {
    const [machine, temporary] = [await newFolder(t), await newFolder(t)];
    if (IS_PACKAGED)
      await writeFile(join(machine, 'chromium'), startedBy(await unpackBrowser()), { mode: 0o755 });
    await writeFile(join(temporary, await folderName()), 'This is not a folder.');
    const PATH = [machine, process.env.PATH].join(delimiter);
    const { code, stdout } = await runBrowserTests(t, { TMPDIR: temporary, PATH });
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^3 passed, 0 failed, 0 skipped$/m);
  });

function startedBy({ path, env }: InstalledBrowser): string {
  const assignments = Object.entries(env).map(([name, value]) => `${name}='${value}'`);
  return `#!/bin/sh\n${assignments.join(' ')} exec '${path}' "$@"\n`;
}

/** Runs two tests that need a browser, and one that does not. */
async function runBrowserTests(context: TestContext, env: Readonly<Record<string, string>>) {
  const cwd = await newFolder(context);
  await writeFile(
    join(cwd, 'pages.test.mjs'),
    `import assert from 'node:assert/strict';
    import { after, test } from 'node:test';
    import { browserTest, connectBrowser, hasBrowser } from '${SUPPORT}';
    const browser = hasBrowser() ? await connectBrowser({ after }) : undefined;
    test('passes', () => {});
    for (const text of ['one', 'two'])
      browserTest(text, async () => {
        const page = await browser.newPage();
        await page.setContent('<p>' + text);
        assert.equal(await page.locator('p').innerText(), text);
      });`,
  );
  const { TEST_BROWSER: _, ...others } = environment();
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; stdout: string }>();
  execFile(
    process.execPath,
    [RUNNER, 'pages.test.mjs'],
    { cwd, env: { ...others, ...env } },
    (error, stdout) => resolve({ code: error?.code ?? 0, stdout }),
  );
  return promise;
}
