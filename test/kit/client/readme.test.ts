/**
 * The examples of the README, run by whoever uses the client: as plain JavaScript, installed as a package, on the Node
 * that is on the machine, which may be as old as 20.
 */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { DEFAULTS } from '../../../kit/client/src/options.ts';
import { prepare } from '../../../packaging/pack.ts';
import { allPackages } from '../../../packaging/packages.ts';
import { newFolder } from '../../support/database.ts';
import { startService } from '../../support/service.ts';

const ROOT = join(import.meta.dirname, '../../..');
const README = readFileSync(join(ROOT, 'kit/client/README.md'), 'utf8');
const run = promisify(execFile);

test('the examples of the README print what it shows', async (context) => {
  const service = await startService({ after }, { now: '2026-11-15T12:00:00Z' });
  await service.import(JSON.parse(readFileSync(join(ROOT, 'docs/example.json'), 'utf8')));
  const folder = await installedClient(context);
  const file = join(folder, 'examples.mjs');
  const examples = [...README.matchAll(/^```js\n(.*?)^```\n\n```text\n(.*?)^```$/gms)];
  assert.equal(examples.length, README.split('```js').length - 1, 'each example shows what it prints');
  await writeFile(file, joined(examples.map(([, code = '']) => code)));
  const node = nodeOfMachine();
  context.diagnostic(`run on Node ${(await run(node, ['--version'])).stdout.trim()}`);
  const { stdout } = await run(node, [file], {
    env: { SHIFTFEED_URL: `${service.url}/harbour`, SHIFTFEED_TOKEN: await service.token('harbour') },
    timeout: 60_000,
  });
  assert.deepEqual(
    stdout.split(`${SEPARATOR}\n`),
    examples.map(([, , shown]) => shown),
  );
});

test('the README has every limit, with its default', () => {
  for (const [name, value] of Object.entries(DEFAULTS)) {
    assert.ok(README.includes(`| \`${name}\` | ${value.toLocaleString('en')} |`), name);
  }
});

const SEPARATOR = '-----';

/** One program, whose client is that of the first example. Others may use names again. */
function joined(examples: readonly string[]): string {
  const imports = examples.flatMap((code) => code.match(/^import .*\n/gm) ?? []);
  const [first, ...others] = examples.map((code) => code.replaceAll(/^import .*\n/gm, ''));
  const bodies = [first, ...others.map((code) => `{\n${code}}\n`)];
  return imports.join('') + bodies.join(`console.log('${SEPARATOR}');\n`);
}

/** A folder in which the client is installed as npm would. */
async function installedClient(context: TestContext): Promise<string> {
  const folder = await newFolder(context);
  const client = (await allPackages()).find(({ manifest }) => manifest.name === '@shiftfeed/client');
  assert.ok(client);
  const packed = await prepare(client, join(folder, 'packed'));
  await mkdir(join(folder, 'node_modules/@shiftfeed'), { recursive: true });
  await rename(packed.folder, join(folder, 'node_modules/@shiftfeed/client'));
  return folder;
}

/** The first that is not of this project, if there is one. */
function nodeOfMachine(): string {
  const folders = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'));
  return folders.map((folder) => join(folder, 'node')).find(existsSync) ?? process.execPath;
}
