/** Ends the process on SIGTERM or SIGINT. */

import type { Log } from './log.ts';

/** Longer than a server gives its running requests. After that, the process ends whatever is still open. */
const STOP_TIMEOUT_MS = 15_000;

/**
 * Handles signals from now on. The returned function says how to stop: until it is called there is nothing to stop, and
 * a signal ends the process at once.
 */
export function stopOnSignal(log: Log): (stop: () => Promise<void>) => void {
  let stop = async (): Promise<void> => undefined;
  let stopping = false;
  const onSignal = () => {
    // A terminal sends Ctrl-C to the whole process group, and npm or the launcher passes it on as well.
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref();
    stop()
      .finally(log.flush)
      .then(
        () => process.exit(0),
        () => process.exit(1),
      );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  return (given) => {
    stop = given;
  };
}
