/** Options of `serve` from the environment. */

import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { makeProgram } from '../../src/cli/program.ts';
import { exitOf, start, whenReady } from '../support/cli.ts';
import { shiftfeed, startHere, startServer } from '../support/cli-in-process.ts';
import { newDatabaseUrl, newFolder } from '../support/database.ts';
import { acme } from '../support/document.ts';
import { often } from '../support/strength.ts';

const CONVENTIONAL = ['HOST', 'PORT', 'DATABASE_URL', 'DATABASE_URL_FILE'];

test('every option of serve has a variable', async () => {
  const { commands } = await makeProgram();
  const serve = commands.find((command) => command.name() === 'serve');
  assert.ok(serve);
  for (const { long, envVar = '' } of serve.options) {
    const byRule = long?.replace('--', 'SHIFTFEED_').replaceAll('-', '_').toUpperCase();
    assert.ok(envVar === byRule || CONVENTIONAL.includes(envVar), `${long}: ${envVar}`);
  }
});

test('options that are lists may be repeated', async () => {
  const { commands } = await makeProgram('serve');
  const [serve] = commands;
  serve?.parseOptions(['--trust-proxy', '10.0.0.7,loopback', '--trust-proxy', '10.1.0.0/16']);
  assert.deepEqual(serve?.opts().trustProxy, ['10.0.0.7', 'loopback', '10.1.0.0/16']);
});

describe('variables of serve', { concurrency: 3 }, () => {
  test('are options, in workers as well, and lists are separated by commas', async (t) => {
    const env = {
      SHIFTFEED_DATABASE: await newDatabaseUrl(t),
      SHIFTFEED_HOST: '127.0.0.1',
      SHIFTFEED_PORT: '0',
      SHIFTFEED_WORKERS: '2',
      SHIFTFEED_DEMO: 'true',
      SHIFTFEED_PATH_PREFIX: '/shifts',
      SHIFTFEED_CORS_ORIGIN: 'https://a.example,https://b.example',
      SHIFTFEED_ADMIN_PORT: '0',
    };
    const server = await whenReady(t, start(['serve'], { env }));
    assert.match(server.url, /\/shifts$/);
    assert.match(await server.nextLine(), /^Try it: /);
    assert.match(await server.nextLine(), /^Explore it: /);
    assert.match(await server.nextLine(), /^Change it: /);
    assert.match(await server.nextLine(), /^Read about it: /);
    assert.match(await server.nextLine(), /^Metrics are at /);
    for (const origin of ['https://a.example', 'https://b.example']) {
      const { headers } = await fetch(`${server.url}/demo/api/v1/shifts`, { headers: { origin } });
      assert.equal(headers.get('access-control-allow-origin'), origin);
    }
  });

  test('give way to options', async (t) => {
    const env = { SHIFTFEED_PORT: 'no port', SHIFTFEED_PATH_PREFIX: '/a', SHIFTFEED_NO_PAGES: 'false' };
    const server = await startServer(t, ['--path-prefix', '/b', '--no-pages'], {
      databaseUrl: await newDatabaseUrl(t),
      env,
    });
    assert.match(server.url, /\/b$/);
    assert.equal((await fetch(`${server.url}/docs`)).status, 404);
  });

  test('of Shiftfeed win over conventional ones', async (t) => {
    const env = {
      SHIFTFEED_DATABASE: await newDatabaseUrl(t),
      PORT: '1',
      SHIFTFEED_PORT: '0',
      SHIFTFEED_NO_PAGES: 'true',
    };
    const databaseUrl = 'sqlite:/proc/none.db';
    const server = await startHere(t, ['serve'], { databaseUrl, env });
    assert.equal((await fetch(`${server.url}/`)).status, 404);
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
  });

  test('that Kubernetes sets for a service of that name are none', async (t) => {
    const env = {
      SHIFTFEED_PORT: 'tcp://10.0.0.11:80',
      SHIFTFEED_ADMIN_PORT: 'tcp://10.0.0.12:80',
      PORT: '0',
    };
    const server = await startHere(t, ['serve'], { databaseUrl: await newDatabaseUrl(t), env });
    assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
  });

  for (const value of often(['0'], ['false', '0'])) {
    test(`switch nothing on with ${value}`, async (t) => {
      const databaseUrl = await newDatabaseUrl(t);
      const server = await startServer(t, [], {
        databaseUrl,
        env: { SHIFTFEED_DEMO: value, SHIFTFEED_NO_PAGES: value },
      });
      assert.match(await server.nextLine(), /^The database is /);
      assert.equal((await fetch(server.url)).status, 200);
      await exitOf(server.child);
      const { stdout } = await shiftfeed(['account', 'list', '--json'], { databaseUrl });
      assert.deepEqual(JSON.parse(stdout), []);
    });
  }

  test('that name the database are those of every command', async (t) => {
    const folder = await newFolder(t);
    await writeFile(join(folder, 'plan.json'), JSON.stringify(acme([])));
    const env = { SHIFTFEED_DATABASE: `sqlite:${join(folder, 'own.db')}` };
    const options = { cwd: folder, databaseUrl: 'sqlite:other.db', env };
    assert.equal((await shiftfeed(['import', 'plan.json'], options)).code, 0);
    const { stdout } = await shiftfeed(['account', 'list', '--json'], { env });
    assert.equal(JSON.parse(stdout)[0].slug, 'acme');
  });
});
