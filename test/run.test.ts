/** How tests are run: what is printed when all is well, and when it is not. */

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { glob, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { environment } from './support/cli.ts';
import { newFolder } from './support/database.ts';
import { isAlive, killTree } from './support/processes.ts';
import { until } from './support/until.ts';

const RUNNER = join(import.meta.dirname, 'run/main.ts');

const START_SERVER = `
  import { spawn } from 'node:child_process';
  import { writeFileSync } from 'node:fs';
  const server = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });
  writeFileSync('pid', String(server.pid));`;

const FILES = {
  'good.test.mjs': `
    import { after, test } from 'node:test';
    test('is good', () => {});
    test('is not possible here', { skip: 'there is no moon. Wait for it.' }, () => {});
    after(() => console.log('cleaned up'));`,
  'bad.test.mjs': `
    import assert from 'node:assert/strict';
    import { describe, test } from 'node:test';
    describe('A sum', () => {
      test('is what it should be', () => assert.equal(1 + 1, 3, 'two and no more'));
      test('is there', () => {});
    });`,
  'broken.test.mjs': `import './nothing.mjs';`,
  'deadly.test.mjs': `
    import { test } from 'node:test';
    test('ends everything', () => process.exit(0));`,
  'empty.test.mjs': '',
};

test('what fails is told with its place and its reason, whatever it does to the process, and the sums come last', async (t) => {
  const cwd = await newFolder(t);
  for (const [name, code] of Object.entries(FILES)) await writeFile(join(cwd, name), code);
  const { code, stdout } = await runTests(cwd, ['*.test.mjs']);
  assert.equal(code, 1);
  assert.match(stdout, /^cleaned up\n/m);
  assert.match(stdout, /^✔ good\.test\.mjs: 1 passed, 1 skipped\n/m);
  assert.match(
    stdout,
    /^✖ bad\.test\.mjs:5 {2}A sum › is what it should be\n {4}AssertionError \[ERR_ASSERTION\]: two and no more\n/m,
  );
  assert.match(stdout, /^✖ broken\.test\.mjs\n {4}.*nothing\.mjs/m);
  assert.match(stdout, /^✖ deadly\.test\.mjs\n {4}The process that ran it ended before it did\./m);
  assert.match(stdout, /^✖ empty\.test\.mjs\n {4}There is no test in this file\./m);
  const [, end = ''] = stdout.split(/^1 test was not run: there is no moon\. Wait for it\.$/m);
  assert.match(
    end,
    /^\n\nFailed, told in full above:\n(✖ .*\n){4}\nIt took .*\n2 passed, 4 failed, 1 skipped\n$/,
  );
});

test('a file that keeps its process busy for ever is ended', async (t) => {
  const cwd = await newFolder(t);
  await writeFile(
    join(cwd, 'spins.test.mjs'),
    `import { test } from 'node:test'; test('spins', () => { for (;;); });`,
  );
  const { code, stdout } = await runTests(cwd, ['spins.test.mjs'], { TEST_LIMIT_MS: '1000' });
  assert.equal(code, 1);
  assert.match(stdout, /^✖ spins\.test\.mjs\n {4}The process that ran it ended before it did\./m);
});

test('a file that does not exist is not passed over', async (t) => {
  const { code, stderr } = await runTests(await newFolder(t), ['nothing.test.ts']);
  assert.equal(code, 1);
  assert.match(stderr, /There is no test file nothing\.test\.ts\./);
});

test('among the long tests are those that can try harder, and nothing else of the short ones', async (t) => {
  const cwd = await newFolder(t);
  await mkdir(join(cwd, 'test/support'), { recursive: true });
  const passes = `import { test } from 'node:test'; test('passes', () => {});`;
  for (const [name, code] of Object.entries({
    'support/strength.ts': 'export {};',
    'a.test.ts': `import './support/strength.ts'; ${passes}`,
    'b.test.ts': passes,
    'c.long.ts': passes,
  })) {
    await writeFile(join(cwd, 'test', name), code);
  }
  const { stdout } = await runTests(cwd, ['--long']);
  assert.deepEqual(stdout.match(/[abc]\.\w+\.ts(?=:)/g)?.toSorted(), ['a.test.ts', 'c.long.ts']);
});

test('servers of a file are ended, although none of its tests has the name that is looked for', async (t) => {
  const cwd = await newFolder(t);
  await writeFile(
    join(cwd, 'serves.test.mjs'),
    `${START_SERVER}
    import { after, test } from 'node:test';
    after(() => server.kill());
    test('asks it', () => {});`,
  );
  const { code, stdout } = await runTests(cwd, ['serves.test.mjs', '--name', 'nothing']);
  assert.equal(code, 1);
  assert.match(stdout, /^0 passed, 0 failed, 0 skipped$/m);
  const pid = Number(readFileSync(join(cwd, 'pid'), 'utf8'));
  await until('the server is gone', async () => !isAlive(pid));
});

test('whoever ends the runner ends the servers of its tests as well', async (t) => {
  const cwd = await newFolder(t);
  await writeFile(
    join(cwd, 'waits.test.mjs'),
    `${START_SERVER}
    import { test } from 'node:test';
    test('waits', () => new Promise(() => {}));`,
  );
  const runner = spawn(process.execPath, [RUNNER, 'waits.test.mjs'], {
    cwd,
    env: environment(),
    stdio: 'ignore',
  });
  t.after(() => killTree(runner.pid));
  const pidFile = join(cwd, 'pid');
  await until('the server runs', async () => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '');
  runner.kill('SIGTERM');
  await once(runner, 'exit');
  const pid = Number(readFileSync(pidFile, 'utf8'));
  await until('the server is gone', async () => !isAlive(pid));
});

test('what takes long has a short form beside it', async () => {
  const long = await Array.fromAsync(glob('**/*.long.ts', { cwd: import.meta.dirname }));
  assert.ok(long.length > 0);
  for (const file of long) {
    assert.ok(existsSync(join(import.meta.dirname, file.replace('.long.ts', '.test.ts'))), file);
  }
});

interface Finished {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

function runTests(cwd: string, files: readonly string[], variables: object = {}): Promise<Finished> {
  const { promise, resolve } = Promise.withResolvers<Finished>();
  const env = { ...environment(), ...variables };
  execFile(process.execPath, [RUNNER, ...files], { cwd, env }, (error, stdout, stderr) =>
    resolve({ code: error?.code ?? 0, stdout, stderr }),
  );
  return promise;
}
