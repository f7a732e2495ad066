/** A service and a gateway in processes of their own, with a plan to ask for. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatMonth, type Month, parseMonth } from '@shiftfeed/common/days';
import { type Server, start, startServer, whenReady } from '../../test/support/cli.ts';
import { shiftfeed } from '../../test/support/cli-in-process.ts';
import { type Cleanup, newFolder } from '../../test/support/database.ts';
import type { Target } from './attacks.ts';

const SHIFTS = 10_000;
const MONTHS = 12;
const CACHE_MB = '64';

export interface RunningTarget extends Target {
  readonly kind: 'service' | 'gateway';
  readonly server: Server;
}

export async function startTargets(context: Cleanup, shifts = SHIFTS): Promise<readonly RunningTarget[]> {
  const folder = await newFolder(context);
  const databaseUrl = `sqlite:${join(folder, 'test.db')}`;
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await shiftfeed(args, { databaseUrl });
    if (code !== 0) throw new Error(stderr);
    return stdout.trim();
  };
  await writeFile(join(folder, 'plan.json'), JSON.stringify(plan(shifts)));
  await run('import', join(folder, 'plan.json'), '--quiet');
  const token = await run('token', 'create', 'acme');
  const attackerToken = await run('token', 'create', 'acme');
  const env = { SHIFTFEED_TOKEN: token };
  const service = await startServer(context, ['--cache-mb', CACHE_MB], { databaseUrl });
  const config = join(folder, 'website.json');
  await writeFile(
    config,
    JSON.stringify({ upstream: `${service.url}/acme`, feeds: { feed: { group_ids: [1] } } }),
  );
  const gateway = await whenReady(context, start(['gateway', config, '--port', '0'], { env }));
  const common = { token, attackerToken };
  return [
    {
      ...common,
      kind: 'service',
      url: service.url,
      path: '/acme/api/v1/shifts?date_from=2026-11-01&per_page=10',
      server: service,
    },
    { ...common, kind: 'gateway', url: gateway.url, path: '/feed/shifts', server: gateway },
  ];
}

/** An account with so many shifts, spread evenly over a year. */
function plan(count: number): object {
  return {
    account: { slug: 'acme', premium: true },
    groups: Array.from({ length: 50 }, (_, i) => ({ id: i + 1, name: `Group ${i + 1}` })),
    shifts: Array.from({ length: count }, (_, i) => ({
      id: i + 1,
      date: `${formatMonth((parseMonth('2026-11') + (i % MONTHS)) as Month)}-${10 + (i % 18)}`,
      start_time: '09:00',
      end_time: '17:00',
      group_id: 1 + (i % 50),
      publish_date: '2020-01-01',
      remarks: 'Bring the keys, and the list of the day before.',
    })),
  };
}
