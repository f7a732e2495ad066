/** Bytes that are nearly right: some are changed, left out, repeated, moved, or replaced by what is known to hurt. */

import type { Draw } from '../draw.ts';

const NASTY = [
  ...['\0', '\r\n', '\n', '\t', '\ufeff', '\ud7ff', '🎉', 'x'.repeat(11_000)],
  ...`" ' , ; % =cmd() <!-- ]]> &#0; { [[[[[[[[ 1e999 -0 NaN 9007199254740993`.split(' '),
  ...'31.02.2026 24:00 2026-13-01 null __proto__'.split(' '),
].map((text) => Buffer.from(text));

export function mutated(draw: Draw, original: Buffer): Buffer {
  let bytes = original;
  for (let left = draw.pick([1, 1, 2, 5]); left > 0 && bytes.length > 0; left--)
    bytes = mutateOnce(draw, bytes);
  return bytes;
}

/** One piece of it stands there so often that the rest hardly counts. */
export function swollen(draw: Draw, bytes: Buffer, maxBytes: number): Buffer {
  const at = draw.integer(0, bytes.length - 1);
  const piece = bytes.subarray(at, at + draw.pick([1, 1, 2, 8, 64, bytes.length]));
  const times = Math.floor(draw.integer(1, maxBytes) / piece.length);
  return Buffer.concat([bytes.subarray(0, at), ...Array(times).fill(piece), bytes.subarray(at)]);
}

function mutateOnce(draw: Draw, bytes: Buffer): Buffer {
  const at = draw.integer(0, bytes.length - 1);
  const end = Math.min(bytes.length, at + draw.pick([1, 2, 8, 64]));
  const around = (middle: Buffer | string, to = end) =>
    Buffer.concat([bytes.subarray(0, at), Buffer.from(middle as Buffer), bytes.subarray(to)]);
  switch (draw.weighted({ flip: 4, remove: 3, insert: 4, replace: 4, repeat: 2, move: 2, cut: 1 })) {
    case 'flip':
      return around(Buffer.from([(bytes[at] as number) ^ (1 << draw.integer(0, 7))]), at + 1);
    case 'remove':
      return around('');
    case 'insert':
      return around(draw.pick(NASTY), at);
    case 'replace':
      return around(draw.pick(NASTY));
    case 'repeat':
      return around(
        Buffer.concat(Array.from({ length: draw.pick([2, 3, 50]) }, () => bytes.subarray(at, end))),
      );
    case 'move':
      return Buffer.concat([around(''), bytes.subarray(at, end)]);
    case 'cut':
      return bytes.subarray(0, at);
  }
}
