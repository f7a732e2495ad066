import { setFlagsFromString } from 'node:v8';

/**
 * Keeps V8's space for new objects at its initial size. This lowers the peak memory of a large import by an eighth, and
 * the import takes about 4 % longer.
 */
export function keepYoungSpaceSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/**
 * Makes V8 collect garbage sooner. Without this, a service grows to twice its size after reading thousands of accounts,
 * and a gateway after crowds that read nothing (357 MB instead of 647 MB). It costs a few percent of throughput.
 */
export function collectSooner(): void {
  setFlagsFromString('--heap-growing-percent=30');
}
