/** Compression of bodies, and which encoding a visitor prefers. */

/** Functions that compress a body, by their names in `Content-Encoding`. */
export type Compressors = Readonly<Record<string, (body: Uint8Array) => Promise<Uint8Array>>>;

/** The name for no encoding at all. */
export const IDENTITY = 'identity';
const MIN_COMPRESSED_BYTES = 1024;
const MAX_HEADER_LENGTH = 500;

/** Undefined if there is no such compressor, or if too much is being compressed. */
export type Compress = (body: Uint8Array, encoding: string) => Promise<Uint8Array> | undefined;

/** The limit at a time, because each takes memory. Beyond it, visitors get the body uncompressed. */
const MAX_COMPRESSIONS = 8;

export function limitCompressions(compressors: Compressors): Compress {
  let count = 0;
  return (body, encoding) => {
    const run = compressors[encoding];
    if (run === undefined || count >= MAX_COMPRESSIONS) return undefined;
    count++;
    // A compressor may bring a promise of its own kind, or fail at once.
    return (async () => run(body))().finally(() => {
      count--;
    });
  };
}

/** The compressors that every platform has. */
export const PLATFORM_COMPRESSORS: Compressors = {
  async gzip(body) {
    const stream = new Blob([body as Uint8Array<ArrayBuffer>])
      .stream()
      .pipeThrough(new CompressionStream('gzip'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  },
};

/** The best encoding for a body of this size. A visitor who accepts none of them gets the body uncompressed. */
export function chooseEncoding(
  header: string | undefined,
  available: readonly string[],
  bytes: number,
): string {
  if (header === undefined || bytes < MIN_COMPRESSED_BYTES) return IDENTITY;
  const weights = weightsOf(header);
  const weightOf = (name: string) => weights.get(name) ?? weights.get('*') ?? 0;
  let best: string = IDENTITY;
  let bestWeight = weights.get(IDENTITY) ?? 0;
  for (const name of available) {
    const weight = weightOf(name);
    // Of equally preferred encodings, the first is chosen; but any encoding is better than none.
    if (weight > bestWeight || (weight === bestWeight && weight > 0 && best === IDENTITY)) {
      best = name;
      bestWeight = weight;
    }
  }
  return best;
}

const remembered = new Map<string, ReadonlyMap<string, number>>();
const MAX_REMEMBERED = 100;

/** Memoized, because browsers send few different headers. */
function weightsOf(header: string): ReadonlyMap<string, number> {
  const known = remembered.get(header);
  if (known !== undefined) return known;
  const weights = readWeights(header.slice(0, MAX_HEADER_LENGTH));
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  if (header.length <= MAX_HEADER_LENGTH) remembered.set(header, weights);
  return weights;
}

function readWeights(header: string): ReadonlyMap<string, number> {
  return new Map(
    header.split(',').map((item) => {
      const [name = '', ...parameters] = item
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/);
      const weight = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1);
      return [name, weight >= 0 && weight <= 1 ? weight : 0];
    }),
  );
}
