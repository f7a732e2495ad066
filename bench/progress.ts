/** Says on standard error what is being done; results go elsewhere. */

const startedMs = performance.now();

export function note(what: string): void {
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
  process.stderr.write(`${seconds.padStart(5)} s  ${what}\n`);
}
