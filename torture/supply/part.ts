/** What an install brings along, and what a server needs to run. */

import { execFile, spawn, spawnSync } from 'node:child_process';
import { chown, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment, LAUNCHER, shiftfeed, whenReady } from '../../test/support/cli.ts';
import type { Cleanup } from '../../test/support/database.ts';
import { OTHER_USER } from '../../test/support/postgres-server.ts';
import type { Order, Outcome, Part } from '../part.ts';
import { makeTally, withCleanup } from '../trial.ts';

const PROJECT = join(import.meta.dirname, '../..');
const AUDIT_LIMIT_MS = 60_000;

export const supply: Part = {
  name: 'supply',
  promises: [
    'No package that an install brings along has a known weakness, and docs/decisions.md says why each is there.',
    'SECURITY.md says how to report a weakness.',
    'The service runs without root, on a file system that it cannot write to, but for the folder of its database.',
  ],
  trial:
    '`npm audit` is asked about the packages of an install. The direct ones are looked up in docs/decisions.md. A server is ' +
    'started as `nobody` in a file system that is mounted read-only, and lists the demo account.',
  unit: 'times',
  amounts: { quick: 1, whole: 1 },
  run,
};

async function run({ seed }: Order): Promise<Outcome> {
  const tally = makeTally();
  const { explained, unexplained } = await unexplainedDependencies();
  if (unexplained.length > 0) tally.fail(seed, `Nothing says why there is ${unexplained.join(', ')}.`);
  const weaknesses = await audit();
  if (weaknesses !== undefined && weaknesses > 0)
    tally.fail(seed, `npm audit tells ${weaknesses} weaknesses.`);
  const policy = await readFile(join(PROJECT, 'SECURITY.md'), 'utf8').catch(() => '');
  if (!/report/i.test(policy)) tally.fail(seed, 'SECURITY.md does not say how to report.');
  if (canConfine()) {
    await tally.tryOne(seed, async () => {
      await withCleanup(serveConfined);
      return ['servers without rights on a read-only file system'];
    });
  }
  return {
    figures: {
      'direct dependencies that are explained': explained,
      'weaknesses by npm audit':
        weaknesses ?? 'not told: the registry of this machine does not answer npm audit',
      ...(canConfine()
        ? {}
        : {
            'server without rights':
              'not tried: that needs root, bwrap and setpriv, and a project that everybody can read',
          }),
      ...tally.figures,
    },
    failures: tally.failures,
  };
}

/** Packages of other people that the service needs, and of which the paragraph on dependencies says nothing. */
export async function unexplainedDependencies(): Promise<{ explained: number; unexplained: string[] }> {
  const { dependencies } = JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8'));
  const decisions = await readFile(join(PROJECT, 'docs/decisions.md'), 'utf8');
  const [, paragraph = ''] = /\*\*Few dependencies\.\*\*(.*?)\n\n/s.exec(decisions) ?? [];
  const words = new Set(paragraph.split(/[\s,;()]+/));
  const names = Object.keys(dependencies).filter((name) => !name.startsWith('@shiftfeed/'));
  const unexplained = names.filter((name) => !words.has(name));
  return { explained: names.length - unexplained.length, unexplained };
}

/** How many known weaknesses the packages of an install have; undefined where the registry does not tell. */
export function audit(): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  const options = { cwd: PROJECT, timeout: AUDIT_LIMIT_MS };
  // It ends with 1 when there are some, so only what it prints counts.
  execFile('npm', ['audit', '--omit=dev', '--json'], options, (_error, stdout) => {
    try {
      resolve(JSON.parse(stdout).metadata.vulnerabilities.total);
    } catch {
      resolve(undefined);
    }
  });
  return promise;
}

const AS_NOBODY = [
  'setpriv',
  ...['--reuid', String(OTHER_USER.uid), '--regid', String(OTHER_USER.gid)],
  ...['--clear-groups', '--no-new-privs'],
];

/** Its processes end with it. */
const READ_ONLY = [
  ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
  ...['--unshare-pid', '--die-with-parent'],
];

/** Whether this machine lets us, and lets `nobody` read the project. */
export function canConfine(): boolean {
  return spawnSync('bwrap', [...READ_ONLY, '--', ...AS_NOBODY, 'test', '-r', LAUNCHER]).status === 0;
}

/** A server as a user without rights, on a file system that is read-only but for its folder. Throws when a promise is broken. */
export async function serveConfined(context: Cleanup): Promise<void> {
  // Not among the files of the tests, which may be in /dev: the server gets a /dev of its own.
  const folder = await mkdtemp(join(tmpdir(), 'shiftfeed-confined-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  await chown(folder, OTHER_USER.uid, OTHER_USER.gid);
  const databaseUrl = `sqlite:${join(folder, 'shiftfeed.db')}`;
  const env = { ...environment(), DATABASE_URL: databaseUrl, HOME: '/nonexistent' };
  const command = [...AS_NOBODY, process.execPath, LAUNCHER, 'serve', '--demo', '--port', '0'];
  const child = spawn('bwrap', [...READ_ONLY, '--bind', folder, folder, '--', ...command], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const server = await whenReady(context, child);
  const [, token = ''] = /Bearer (\S+)'/.exec(await server.nextLine()) ?? [];
  const response = await fetch(`${server.url}/demo/api/v1/shifts`, {
    headers: { authorization: `Bearer ${token}` },
  });
  if (response.status !== 200) throw new Error(`It answered ${response.status} ${await response.text()}`);
  const { stdout } = await shiftfeed(['token', 'list'], { databaseUrl });
  if (!stdout.includes('demo')) throw new Error('Its database has no account.');
}
