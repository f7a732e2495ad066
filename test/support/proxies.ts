/** The proxies in front of services, as real processes. */

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Cleanup, newFolder } from './database.ts';
import { freePort } from './listening.ts';
import { until } from './until.ts';

/** It is one process, which writes into a folder of its own. */
export async function startNginx(
  context: Cleanup,
  configure: (port: number, folder: string) => string,
): Promise<{ port: number; folder: string }> {
  const folder = await newFolder(context);
  const port = await freePort();
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  const config = `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {}
    http { ${folders.join(' ')} ${configure(port, folder)} }`;
  await writeFile(join(folder, 'nginx.conf'), config);
  const nginx = spawn('nginx', ['-e', 'stderr', '-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await whenHealthy(context, nginx, port);
  return { port, folder };
}

export async function startHaproxy(
  context: Cleanup,
  configure: (port: number) => string,
): Promise<{ port: number }> {
  const port = await freePort();
  const file = join(await newFolder(context), 'haproxy.cfg');
  await writeFile(file, configure(port));
  // -db keeps it one process in the foreground.
  const haproxy = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  await whenHealthy(context, haproxy, port);
  return { port };
}

async function whenHealthy(context: Cleanup, proxy: ChildProcess, port: number): Promise<void> {
  context.after(() => {
    proxy.kill('SIGKILL');
  });
  let problems = '';
  proxy.stderr?.on('data', (text) => {
    problems += text;
  });
  await until('the proxy answers', async () => {
    assert.equal(proxy.exitCode, null, problems);
    const response = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
    return response?.status === 200;
  });
}
