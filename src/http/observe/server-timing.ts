/** The `Server-Timing` header: how long each stage took, for requests that prefer to know (`Prefer: server-timing`). */

export interface Timing {
  /** Ends a stage: it took the time since the one before it ended. */
  lap(stage: string): void;
  header(): string;
}

/** undefined unless it was asked for. */
export function startTiming(prefer: string | string[] | undefined): Timing | undefined {
  if (prefer === undefined || !/(?:^|,) *server-timing *(?:[,;]|$)/i.test(String(prefer))) return undefined;
  const stages: string[] = [];
  let startedMs = performance.now();
  return {
    lap(stage) {
      const endedMs = performance.now();
      stages.push(`${stage};dur=${(endedMs - startedMs).toFixed(3)}`);
      startedMs = endedMs;
    },
    header: () => stages.join(', '),
  };
}
