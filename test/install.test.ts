/** Installing and running the scripts works with every Node from 20 on, and with whichever npm it comes with. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import packageInfo from '../package.json' with { type: 'json' };
import { environment } from './support/cli.ts';
import { newFolder } from './support/database.ts';
import { OLD_NODE_ARGS } from './support/old-node.ts';
import { isLong } from './support/strength.ts';

const ROOT = join(import.meta.dirname, '..');

test('no npm is refused, and no package runs a script when it is installed', () => {
  assert.deepEqual(packageInfo.engines, { node: '>=20' });
  const settings = readFileSync(join(ROOT, '.npmrc'), 'utf8').split('\n');
  assert.ok(!settings.includes('engine-strict=true'));
  assert.ok(settings.includes('ignore-scripts=true'));
});

test('scripts run nothing with whichever Node is at hand but what finds the right one', () => {
  for (const [name, script] of Object.entries(packageInfo.scripts)) {
    for (const [, file = ''] of script.matchAll(/\bnode (\S+)/g)) {
      assert.match(file, /^bin\/(node|shiftfeed)\.js$/, name);
    }
  }
});

describe('npm run test:only, with an old Node and nothing linked into node_modules/.bin', () => {
  test('runs tests on the Node that the install brings along', async (t) => {
    const { code, stdout } = await testOnly(
      t,
      "assert.match(process.versions.node, /^26\\./); console.log('ran')",
    );
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^ *ran$/m);
  });

  if (isLong)
    test('fails when a test fails', async (t) => {
      const { code, stdout } = await testOnly(t, 'assert.fail()');
      assert.equal(code, 1, stdout);
    });
});

async function testOnly(context: TestContext, body: string): Promise<{ code: unknown; stdout: string }> {
  const folder = await installedByOldNpm(context);
  await writeFile(
    join(folder, 'a.test.mjs'),
    `import assert from 'node:assert/strict';\nimport { test } from 'node:test';\ntest('it', () => { ${body} });`,
  );
  const tools = join(folder, 'tools');
  await mkdir(tools);
  const quoted = [process.execPath, ...OLD_NODE_ARGS].map((word) => `'${word}'`).join(' ');
  await writeFile(join(tools, 'node'), `#!/bin/sh\nexec ${quoted} "$@"\n`, { mode: 0o755 });
  const env = { ...environment(), PATH: [tools, process.env.PATH].join(delimiter) };
  const { promise, resolve } = Promise.withResolvers<{ code: unknown; stdout: string }>();
  execFile('npm', ['run', '--silent', 'test:only', 'a.test.mjs'], { cwd: folder, env }, (error, stdout) =>
    resolve({ code: error?.code ?? 0, stdout }),
  );
  return promise;
}

/** The project as npm 10 leaves it: packages are there, but the runtime is not linked. */
async function installedByOldNpm(context: TestContext): Promise<string> {
  const folder = await newFolder(context);
  await cp(join(ROOT, 'package.json'), join(folder, 'package.json'));
  await cp(join(ROOT, 'bin'), join(folder, 'bin'), { recursive: true });
  await symlink(join(ROOT, 'test'), join(folder, 'test'));
  await mkdir(join(folder, 'node_modules'));
  const packages = await readdir(join(ROOT, 'node_modules'));
  for (const name of packages.filter((name) => name in packageInfo.optionalDependencies)) {
    await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
  return folder;
}
