/** Runs once around all test files: gives them a PostgreSQL server, unless TEST_POSTGRES_URL names one. */

import { type PostgresServer, startPostgres } from './postgres-server.ts';

let server: PostgresServer | undefined;

export async function globalSetup(): Promise<void> {
  if (process.env.TEST_POSTGRES_URL !== undefined) return;
  server = await startPostgres();
  process.env.TEST_POSTGRES_URL = server.url;
}

export async function globalTeardown(): Promise<void> {
  await server?.remove();
}
