/**
 * Tells systemd that the service is ready, for units with Type=notify. Node cannot open the kind of socket on which
 * systemd listens, so systemd's own command does it.
 */

import { execFile } from 'node:child_process';
import { warn } from '../print.ts';

export function notifySystemd(): void {
  if (process.env.NOTIFY_SOCKET === undefined) return;
  execFile('systemd-notify', ['--ready'], (error) => {
    if (error !== null) warn(`systemd could not be told that the service is ready: ${error.message.trim()}.`);
  });
}
