/** What the files for containers name is there. Whether they run is tried by hand: see docs/installing.md. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import packageInfo from '../../package.json' with { type: 'json' };
import { makeProgram } from '../../src/cli/program.ts';

const DEPLOY = join(import.meta.dirname, '../../deploy');
const read = (file: string) => readFileSync(join(DEPLOY, file), 'utf8');

test('the variables of containers are options of the service', async () => {
  const { commands } = await makeProgram();
  const serve = commands.find((command) => command.name() === 'serve');
  const variables = serve?.options.map(({ long = '' }) => long.replace('--', 'SHIFTFEED_').toUpperCase());
  const known = new Set(variables?.map((name) => name.replaceAll('-', '_')));
  for (const file of ['Containerfile', 'compose.yaml']) {
    const named = read(file).match(/\bSHIFTFEED_[A-Z_]+\b/g) ?? [];
    assert.notDeepEqual(named, [], file);
    for (const name of named) assert.ok(known.has(name), `${file}: ${name}`);
  }
});

test('the container starts the launcher where npm puts it, as Node and not as root', () => {
  const [, entry = ''] = /^ENTRYPOINT (.+)$/m.exec(read('Containerfile')) ?? [];
  const launcher = `/opt/shiftfeed/node_modules/${packageInfo.name}/${packageInfo.bin.shiftfeed}`;
  assert.deepEqual(JSON.parse(entry), ['node', launcher]);
  assert.match(read('Containerfile'), /^USER 1000:1000$/m);
});

test('the Node of the container is that of the install', () => {
  const [, major] = /^ARG NODE_IMAGE=\S+\/node:(\d+)-slim$/m.exec(read('Containerfile')) ?? [];
  for (const version of Object.values(packageInfo.optionalDependencies))
    assert.equal(version.split('.')[0], major);
});

test('the files that compose.yaml names are there', () => {
  const compose = read('compose.yaml');
  const [, context = ''] = /^ {4}context: (\S+)$/m.exec(compose) ?? [];
  const [, containerfile = ''] = /^ {4}dockerfile: (\S+)$/m.exec(compose) ?? [];
  assert.ok(existsSync(join(DEPLOY, context, containerfile)));
  const mounted = [...compose.matchAll(/^ {6}- (\.\/\S+?):/gm)].map(([, path = '']) => path);
  assert.deepEqual(mounted, ['./Caddyfile']);
  assert.ok(existsSync(join(DEPLOY, './Caddyfile')));
});

test('the proxy sends requests to every container with the API', () => {
  const services = [...read('compose.yaml').matchAll(/^ {2}(api-\d): \*api$/gm)].map(
    ([, name]) => `${name}:8080`,
  );
  assert.equal(services.length, 2);
  assert.ok(read('Caddyfile').includes(`reverse_proxy ${services.join(' ')} {`));
});
