/** Options for a server process that a test starts by itself, to give it other limits than the command line can. */

import { pino } from 'pino';
import { DEFAULT_LIMITS } from '../../src/http/limits/limits.ts';
import type { ServerOptions } from '../../src/server/server.ts';

const MEGABYTE = 1024 * 1024;

export const ANY_PORT = { host: '127.0.0.1', port: 0, hostSetting: '--host', portSetting: '--port' };

export function serverOptions(
  databaseUrl: string,
  { drainTimeoutMs }: { drainTimeoutMs: number },
): ServerOptions {
  return {
    databaseUrl,
    primaryUrl: databaseUrl,
    address: ANY_PORT,
    limits: { ...DEFAULT_LIMITS, drainTimeoutMs },
    logger: pino({ level: 'silent' }),
    logRequests: false,
    baseUrl: undefined,
    pathPrefix: '',
    trustProxy: [],
    corsOrigins: new Set(),
    rateLimit: undefined,
    failedTokenLimit: undefined,
    metrics: undefined,
    cacheBytes: 32 * MEGABYTE,
    staleIfErrorMs: 0,
  };
}
