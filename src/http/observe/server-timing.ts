/** The `Server-Timing` header says how long each stage took. Clients ask for it by `Prefer: server-timing`. */

export interface Timing {
  /** Ends a stage, which began at the end of the previous one. */
  lap(stage: string): void;
  header(): string;
}

/** Returns undefined unless the client asks for it. */
export function startTiming(prefer: string | string[]): Timing | undefined {
  if (!/(?:^|,) *server-timing *(?:[,;]|$)/i.test(String(prefer))) return undefined;
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
