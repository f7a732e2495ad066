/** Installs what only the benchmark needs, unless it is there already, exactly as its lock file says. */

import { execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';

const wanted = join(import.meta.dirname, 'package-lock.json');
const installed = join(import.meta.dirname, 'node_modules/.package-lock.json');

if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(wanted).mtimeMs) {
  process.stderr.write('Installing what the benchmark compares with…\n');
  execFileSync('npm', ['ci', '--loglevel=error'], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}
