/**
 * What operators watch of the database: whether it answers, its schema, by how much a replica is behind, and when the
 * last imports succeeded. It is read for a scrape, one question after the other, by the process with the port for
 * operators: all workers would tell the same.
 */

import { Gauge, Registry } from 'prom-client';
import { withDeadline } from '../feed/waiting.ts';
import { collectFromPools, describeBuild } from '../http/observe/metrics.ts';
import type { ProblemLog } from '../http/observe/problem-log.ts';
import type { LastImport, ServerStore } from '../store/server-store.ts';

/**
 * Each account is a time series for Prometheus. If there are more, those with the oldest imports are reported, because
 * alerts are about them.
 */
const MAX_ACCOUNTS = 10_000;
/** Prometheus waits for 10 seconds, if not told otherwise. */
const LIMIT_MS = 4_000;
const LAST_IMPORT = 'shiftfeed_last_import_timestamp_seconds';

interface DatabaseMetricsOptions {
  readonly store: ServerStore;
  /** Of this package. */
  readonly version: string;
  readonly problems: ProblemLog;
  readonly clock: () => number;
}

/** What the database told of itself. What it did not tell is undefined. */
interface Told {
  readonly schema: number;
  readonly lagSeconds: number | undefined;
  readonly imports: readonly LastImport[] | undefined;
}

export function watchDatabase({ store, version, problems, clock }: DatabaseMetricsOptions) {
  const registry = new Registry();
  const gauges = makeGauges(registry);
  describeBuild(
    registry,
    'shiftfeed_build_info',
    'Which version runs, the schema that it needs, and on which Node.',
    { version, schema: store.neededSchema },
  );
  collectFromPools(registry, { metrics: store.poolCounts });
  let wasUp: boolean | undefined;

  async function ask(): Promise<Told> {
    const schema = await store.schemaVersion();
    return {
      schema,
      lagSeconds: await answerOf('The lag of the replica is', store.lagSeconds()),
      imports: await answerOf('The last imports are', store.lastImports(MAX_ACCOUNTS)),
    };
  }

  /** Resolves to nothing without an answer. The other metrics are still told then. */
  async function answerOf<T>(what: string, answer: Promise<T>): Promise<T | undefined> {
    return answer.catch((error: Error) => {
      problems.warn(`${what} missing from the metrics: ${error.message}`);
      return undefined;
    });
  }

  return {
    registry,
    /** Asks the database. Resolves with those metrics that the registry does not hold, as text. */
    async read(): Promise<string> {
      const told = await answerOf('The database is', withDeadline(ask(), LIMIT_MS));
      const isUp = told !== undefined;
      if (isUp !== wasUp) gauges.upChanged.set(clock() / 1000);
      wasUp = isUp;
      gauges.up.set(isUp ? 1 : 0);
      setOrRemove(gauges.schema, told?.schema);
      setOrRemove(gauges.lag, told?.lagSeconds);
      return describeImports(told?.imports ?? []);
    },
  };
}

function setOrRemove(gauge: Gauge, value: number | undefined): void {
  if (value === undefined) gauge.remove();
  else gauge.set(value);
}

function makeGauges(registry: Registry) {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  return {
    up: gauge('shiftfeed_database_up', 'Whether the database answered when these metrics were read.'),
    upChanged: gauge(
      'shiftfeed_database_up_changed_timestamp_seconds',
      'Since when the database has answered, or has not.',
    ),
    schema: gauge('shiftfeed_database_schema_version', 'The version of the schema that the database has.'),
    lag: gauge('shiftfeed_database_lag_seconds', 'By how much a replica is behind its primary.'),
  };
}

/**
 * Written by hand, because prom-client takes more than ten times as long. A slug contains nothing that needs escaping.
 */
function describeImports(imports: readonly LastImport[]): string {
  return [
    `# HELP ${LAST_IMPORT} When the last import into an account succeeded.`,
    `# TYPE ${LAST_IMPORT} gauge`,
    ...imports.map(({ slug, succeededAtMs }) => `${LAST_IMPORT}{account="${slug}"} ${succeededAtMs / 1000}`),
    '',
  ].join('\n');
}
