/**
 * Ends with what started this process, if that is npx or the launcher. npx starts commands by a shell, and a signal to npx ends
 * that shell alone; a launcher that is killed cannot pass anything on. Nobody would tell the service. Other parents are left
 * alone, because whoever starts something in the background may end before it.
 */

/** The variable by which a launcher tells its process id. */
export const LAUNCHER = 'SHIFTFEED_LAUNCHER';
const INTERVAL_MS = 500;

export function endWithStarter(host = process) {
  const parent = host.ppid;
  const isOurs = host.env.npm_command === 'exec' || host.env[LAUNCHER] === String(parent);
  // Windows gives a process whose parent has ended no other one.
  if (!isOurs || host.platform === 'win32') return;
  const timer = setInterval(() => {
    if (host.ppid === parent) return;
    clearInterval(timer);
    host.kill(host.pid, 'SIGTERM');
  }, INTERVAL_MS);
  timer.unref();
}
