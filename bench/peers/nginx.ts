/** nginx serving the files of a folder, with one worker. */

import { spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, isListening } from '../../test/support/listening.ts';
import { until } from '../../test/support/until.ts';
import { type Server, startCommand } from '../processes.ts';

/** undefined: nginx is not installed. */
export const NGINX_VERSION = /nginx\/(\S+)/.exec(spawnSync('nginx', ['-v']).stderr?.toString() ?? '')?.[1];

/** @param home a folder for nginx itself, which is made */
export async function startNginx(pagesFolder: string, home: string): Promise<Server> {
  await mkdir(home);
  const port = await freePort();
  const file = join(home, 'nginx.conf');
  await writeFile(file, configuration(pagesFolder, home, port));
  const running = startCommand(['nginx', '-p', home, '-c', file, '-e', join(home, 'error.log')]);
  const url = `http://127.0.0.1:${port}`;
  await until('nginx listens', () => isListening(url));
  return { url, ...running };
}

function configuration(pagesFolder: string, home: string, port: number): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    daemon off;
    worker_processes 1;
    pid ${home}/nginx.pid;
    events { worker_connections 256; }
    http {
      ${temporary.map((name) => `${name}_temp_path ${home}/${name};`).join(' ')}
      access_log off;
      sendfile on;
      tcp_nopush on;
      keepalive_requests 100000000;
      open_file_cache max=100;
      default_type application/json;
      server {
        listen 127.0.0.1:${port};
        root ${pagesFolder};
      }
    }`;
}
