/** Writes new uses of tokens once a minute, and when the server stops. */

import type { Logger } from 'pino';
import { keepTokenUses, type TokenUses } from '../../feed/access/token-uses.ts';
import { openTokenUses } from '../../store/open.ts';

const INTERVAL_MS = 60_000;

export async function startTokenUses(
  databaseUrl: string,
  logger: Logger,
): Promise<Pick<TokenUses, 'note'> & { stop(): Promise<void> }> {
  const store = await openTokenUses(databaseUrl);
  const uses = keepTokenUses(store, Date.now);

  async function write(): Promise<void> {
    const error = await uses.write();
    // No request depends on it, so it is not a warning.
    if (error instanceof Error) logger.info(`The last use of tokens was not written: ${error.message}`);
  }

  const timer = setInterval(write, INTERVAL_MS).unref();
  return {
    note: uses.note,
    async stop() {
      clearInterval(timer);
      await write();
      await store.close();
    },
  };
}
