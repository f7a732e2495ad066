/** PgBouncer in transaction mode. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cleanup, newFolder } from './database.ts';
import { freePort, isListening } from './listening.ts';
import { OTHER_USER } from './postgres-server.ts';
import { until } from './until.ts';

/** Returns the URL of the database by way of the pooler, which has two connections for everybody. */
export async function startPooler(context: Cleanup, databaseUrl: string): Promise<string> {
  const url = new URL(databaseUrl);
  const folder = await newFolder(context);
  await chmod(folder, 0o755);
  const port = await freePort();
  const users = join(folder, 'users');
  await writeFile(users, `"${url.username}" "${decodeURIComponent(url.password)}"\n`);
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]
* = host=${url.hostname} port=${url.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${users}
pool_mode = transaction
default_pool_size = 2
max_client_conn = 100
`,
  );
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? OTHER_USER : undefined;
  if (user !== undefined)
    for (const file of [users, join(folder, 'pgbouncer.ini')]) await chown(file, user.uid, user.gid);
  const pooler = spawn('pgbouncer', ['-q', join(folder, 'pgbouncer.ini')], {
    ...user,
    stdio: 'ignore',
  });
  endWith(context, pooler);
  url.port = String(port);
  await until('the pooler listens', () => isListening(url.href));
  return url.href;
}

function endWith(context: Cleanup, child: ChildProcess): void {
  context.after(async () => {
    const exit = once(child, 'exit');
    if (child.kill('SIGKILL')) await exit;
  });
}
