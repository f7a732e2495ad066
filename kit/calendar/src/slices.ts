/** Long work in short slices, between which the browser paints, scrolls and takes input. */

const SLICE_MS = 8;

/** The first slice is done at once. Resolves when all is done, or when it was given up. */
export async function inSlices(steps: Iterator<void>, signal: AbortSignal): Promise<void> {
  for (;;) {
    const endMs = performance.now() + SLICE_MS;
    while (performance.now() < endMs) if (steps.next().done) return;
    await new Promise((resolve) => setTimeout(resolve));
    if (signal.aborted) return;
  }
}
