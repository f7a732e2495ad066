/** What the files for containers name is there. Whether they run is tried by hand: see docs/installing.md. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ARCHITECTURES, debianFile } from '../../packaging/debian.ts';
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

test('the container has nothing but the executable and its libraries, which run as a user', () => {
  const [, , last = ''] = read('Containerfile').split(/^FROM /m);
  assert.match(last, /^scratch\n/);
  assert.match(last, /^ENTRYPOINT \["\/usr\/bin\/shiftfeed"\]$/m);
  assert.match(last, /^USER 1000:1000$/m);
  assert.doesNotMatch(last, /^(RUN|HEALTHCHECK)/m);
});

test('the container has a folder in which its user may make temporary files', () => {
  assert.match(read('Containerfile'), / install -d -m 1777 \/image\/tmp\n/);
  assert.match(read('Containerfile'), /^COPY --from=install \/image \/$/m);
});

test('the container is made of the package for Debian, whatever its version', () => {
  const [, pattern = ''] = /^COPY dist\/(\S+) /m.exec(read('Containerfile')) ?? [];
  for (const architecture of Object.values(ARCHITECTURES)) {
    const [start = '', end = ''] = pattern.replace(/\$\{TARGETARCH\}/, architecture).split('*');
    const file = debianFile({ architecture, version: '1.2.3' });
    assert.ok(file.startsWith(start) && file.endsWith(end), file);
  }
  assert.ok(readFileSync(join(DEPLOY, '../.containerignore'), 'utf8').includes('!dist/*.deb'));
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
