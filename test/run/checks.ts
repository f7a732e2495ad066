/** What `npm test` checks besides the test files: formatting, lint and types. */

import { execFile } from 'node:child_process';
import type { FileReport } from './messages.ts';

const SCRIPTS = ['lint', 'types'];

/** Runs them one after another, because each uses several processors by itself. */
export async function runChecks(conclude: (report: FileReport) => void): Promise<void> {
  for (const script of SCRIPTS) conclude(await runScript(`npm run ${script}`));
}

function runScript(command: string): Promise<FileReport> {
  const { promise, resolve } = Promise.withResolvers<FileReport>();
  const [npm = '', ...args] = command.split(' ');
  execFile(
    npm,
    [...args, '--silent'],
    { env: { ...process.env, NO_COLOR: '1' } },
    (error, stdout, stderr) => {
      const failures = error === null ? [] : [{ title: '', place: command, text: stdout + stderr }];
      resolve({ file: command, passed: 1 - failures.length, failures, skipped: [] });
    },
  );
  return promise;
}
