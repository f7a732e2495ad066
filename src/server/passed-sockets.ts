/**
 * The sockets that systemd passes to a service with a .socket unit, as sd_listen_fds(3) describes it. systemd listens, so
 * clients who connect while the service restarts wait for it instead of being refused.
 */

import { ServerFailure } from './failure.ts';

/** The first descriptor after standard input, output and error. */
const FIRST = 3;
const MAX_SOCKETS = 16;

/** Their descriptors, or none. LISTEN_PPID is set by our launcher, which starts the process that shall have them. */
export function passedSockets({ env, pid, ppid } = process): readonly number[] {
  const { LISTEN_FDS: given, LISTEN_PID, LISTEN_PPID } = env;
  // The variables may have been inherited from another service.
  const isForUs = LISTEN_PID === String(pid) || LISTEN_PPID === String(ppid);
  if (given === undefined || !isForUs) return [];
  const count = /^\d+$/.test(given) ? Number(given) : Number.NaN;
  if (!(count <= MAX_SOCKETS)) {
    throw new ServerFailure(
      `The variable LISTEN_FDS is ${JSON.stringify(given.slice(0, 20))}: expected how many sockets systemd passes, at most ${MAX_SOCKETS}.`,
    );
  }
  return Array.from({ length: count }, (_, i) => FIRST + i);
}
