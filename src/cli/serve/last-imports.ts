/**
 * When the last import into each account succeeded, as a metric. The process with the admin port reads it from the
 * database itself: all workers would report the same times, and reports of workers are added up.
 */

import type { Logger } from 'pino';
import { makeProblemLog } from '../../http/observe/problem-log.ts';
import type { LastImport } from '../../store/admin/accounts.ts';
import { openLastImports } from '../../store/open.ts';

export interface LastImportsMetric {
  /** Empty while the database does not answer, so that the other metrics are still reported. */
  read(): Promise<string>;
  close(): Promise<void>;
}

/**
 * Each account is a time series for Prometheus. If there are more, those with the oldest imports are reported, because
 * alerts are about them.
 */
const MAX_ACCOUNTS = 10_000;
const NAME = 'shiftfeed_last_import_timestamp_seconds';

export async function openLastImportsMetric(databaseUrl: string, logger: Logger): Promise<LastImportsMetric> {
  const store = await openLastImports(databaseUrl);
  const problems = makeProblemLog(logger);
  return {
    async read() {
      try {
        return describe(await store.lastImports(MAX_ACCOUNTS));
      } catch (error) {
        problems.warn(`The last imports are missing from the metrics: ${(error as Error).message}`);
        return '';
      }
    },
    close: store.close,
  };
}

/**
 * Written by hand, because prom-client takes more than ten times as long. A slug contains nothing that needs escaping.
 */
function describe(imports: readonly LastImport[]): string {
  return [
    `# HELP ${NAME} When the last import into an account succeeded.`,
    `# TYPE ${NAME} gauge`,
    ...imports.map(({ slug, succeededAtMs }) => `${NAME}{account="${slug}"} ${succeededAtMs / 1000}`),
    '',
  ].join('\n');
}
