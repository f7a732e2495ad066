/** A service and a gateway in processes of their own, with a plan to ask for. */

import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatMonth, type Month, parseMonth } from '@shiftfeed/common/days';
import { type Server, start, startServer, whenReady } from '../../test/support/cli.ts';
import { shiftfeed } from '../../test/support/cli-in-process.ts';
import { type Cleanup, newFolder } from '../../test/support/database.ts';
import type { Target } from './attacks.ts';

/** How many shifts the accounts have. Those of the wide one are of as many months, the most that an account may have. */
const SIZES = { acme: 10_000, wide: 2_400 };
const CACHE_MB = '64';

export interface RunningTarget extends Target {
  readonly kind: 'service' | 'gateway';
  readonly server: Server;
}

export async function startTargets(context: Cleanup, sizes = SIZES): Promise<readonly RunningTarget[]> {
  const folder = await newFolder(context);
  const database = join(folder, 'test.db');
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await shiftfeed(args, { databaseUrl: `sqlite:${database}` });
    if (code !== 0) throw new Error(stderr);
    return stdout.trim();
  };
  for (const [slug, count, months] of [
    ['acme', sizes.acme, 12],
    ['wide', sizes.wide, sizes.wide],
  ] as const) {
    await writeFile(join(folder, 'plan.json'), JSON.stringify(plan(slug, count, months)));
    await run('import', join(folder, 'plan.json'), '--quiet');
  }
  const token = await run('token', 'create', 'acme');
  const attackerToken = await run('token', 'create', 'acme');
  const wideToken = await run('token', 'create', 'wide');
  const env = { SHIFTFEED_TOKEN: token };
  const service = await startServer(context, ['--cache-mb', CACHE_MB], { databaseUrl: `sqlite:${database}` });
  const config = join(folder, 'website.json');
  await writeFile(
    config,
    JSON.stringify({ upstream: `${service.url}/acme`, feeds: { feed: { group_ids: [1] } } }),
  );
  const gateway = await whenReady(context, start(['gateway', config, '--port', '0'], { env }));
  const common = { token, attackerToken, wideToken, database };
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

/** An account with so many shifts, spread evenly over so many months. */
function plan(slug: string, count: number, months = 12): object {
  const first = months > 12 ? parseMonth('1000-01') : parseMonth('2026-11');
  return {
    account: { slug, premium: true },
    groups: Array.from({ length: 50 }, (_, i) => ({ id: i + 1, name: `Group ${i + 1}` })),
    shifts: Array.from({ length: count }, (_, i) => ({
      id: i + 1,
      date: `${formatMonth((first + (i % months)) as Month)}-${10 + (i % 18)}`,
      start_time: '09:00',
      end_time: '17:00',
      group_id: 1 + (i % 50),
      publish_date: '2020-01-01',
      remarks: 'Bring the keys, and the list of the day before.',
    })),
  };
}

/** The most memory that a process ever had. */
export function peakMegabytes({ child }: Server): number {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1024);
}
