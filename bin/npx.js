/**
 * Ends with npx. It starts commands by a shell, and a signal to npx ends that shell alone: nobody would tell the service.
 * Other parents are left alone, because whoever starts something in the background may end before it.
 */

const INTERVAL_MS = 500;

export function endWithNpx(host = process) {
  // Windows gives a process whose parent has ended no other one.
  if (host.env.npm_command !== 'exec' || host.platform === 'win32') return;
  const parent = host.ppid;
  const timer = setInterval(() => {
    if (host.ppid === parent) return;
    clearInterval(timer);
    host.kill(host.pid, 'SIGTERM');
  }, INTERVAL_MS);
  timer.unref();
}
