import type { Cleanup } from '../test/support/database.ts';
import { startPostgres } from '../test/support/postgres-server.ts';

/** Sees to it that databases of PostgreSQL can be made, as the setup of the tests does. */
export async function providePostgres(context: Cleanup): Promise<void> {
  if (process.env.TEST_POSTGRES_URL !== undefined) return;
  const server = await startPostgres();
  process.env.TEST_POSTGRES_URL = server.url;
  context.after(async () => {
    delete process.env.TEST_POSTGRES_URL;
    await server.remove();
  });
}
