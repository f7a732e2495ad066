/** What a visitor accepts: headers with a list of names and their weights, such as `br;q=0.9, gzip`. */

/** The name for no encoding at all. */
export const IDENTITY = 'identity';
const MIN_COMPRESSED_BYTES = 1024;
const MAX_HEADER_LENGTH = 1_000;
const MAX_ITEMS = 20;
const MAX_REMEMBERED = 100;

/** The best encoding for a body of this size. A visitor who accepts none of them gets the body uncompressed. */
export function chooseEncoding(
  header: string | undefined,
  available: readonly string[],
  bytes: number,
): string {
  if (header === undefined || bytes < MIN_COMPRESSED_BYTES) return IDENTITY;
  const weights = encodingWeights(header);
  let best: string = IDENTITY;
  let bestWeight = weights.get(IDENTITY) ?? 0;
  for (const name of available) {
    const weight = weights.get(name) ?? weights.get('*') ?? 0;
    // Of equally preferred encodings, the first is chosen; but any encoding is better than none.
    if (weight > bestWeight || (weight === bestWeight && weight > 0 && best === IDENTITY)) {
      best = name;
      bestWeight = weight;
    }
  }
  return best;
}

const encodingWeights = rememberByHeader(
  (header) => new Map(acceptedIn(header).map(({ name, weight }) => [name.toLowerCase(), weight])),
);

export interface Accepted {
  readonly name: string;
  /** From 0 to 1. */
  readonly weight: number;
}

export function acceptedIn(header: string): readonly Accepted[] {
  return header.split(',', MAX_ITEMS).map((item) => {
    const [name = '', ...parameters] = item.trim().split(/\s*;\s*/);
    const weight = Number(parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2) ?? 1);
    return { name, weight: weight >= 0 && weight <= 1 ? weight : 0 };
  });
}

/** Remembers what was read from headers, of which browsers send few different ones. */
export function rememberByHeader<T>(read: (header: string) => T): (header?: string) => T {
  const remembered = new Map<string, T>();
  return (header = '') => {
    const short = header.slice(0, MAX_HEADER_LENGTH);
    const known = remembered.get(short);
    if (known !== undefined) return known;
    const value = read(short);
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(short, value);
    return value;
  };
}
