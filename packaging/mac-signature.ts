/**
 * Signs an executable for macOS "ad hoc", as the linkers of Apple, Go and Rust do: with the hashes of its pages and without
 * a name. Making an executable removes the signature of Node, and macOS on ARM starts nothing without one.
 *
 * The format is that of `mach-o/loader.h` and of XNU's `cs_blobs.h`: load commands are little endian, the signature is big endian.
 */

import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';

const MAGIC_64 = 0xfeedfacf;
const HEADER_BYTES = 32;
const SEGMENT_64 = 0x19;
const CODE_SIGNATURE = 0x1d;
const CODE_SIGNATURE_BYTES = 16;
/** The pages of memory of ARM, of which those of x64 are a part. */
const MEMORY_PAGE_BYTES = 0x4000n;

const EMBEDDED_SIGNATURE = 0xfade0cc0;
const CODE_DIRECTORY = 0xfade0c02;
/** The first version that tells which segment is the program. */
const VERSION = 0x20400;
const AD_HOC = 0x2;
const SHA256 = 2;
const HASH_BYTES = 32;
const HASHED_PAGE_BITS = 12;
const MAIN_BINARY = 1n;
const SUPER_BLOB_BYTES = 20;
const DIRECTORY_BYTES = 88;

export async function signForMac(file: string, identifier: string): Promise<void> {
  const unsigned = await readFile(file);
  const offset = Math.ceil(unsigned.length / 16) * 16;
  const code = Buffer.concat([unsigned, Buffer.alloc(offset - unsigned.length)]);
  const pages = Math.ceil(offset / 2 ** HASHED_PAGE_BITS);
  const length = SUPER_BLOB_BYTES + DIRECTORY_BYTES + identifier.length + 1 + pages * HASH_BYTES;
  const programBytes = announce(code, offset, length);
  await writeFile(file, Buffer.concat([code, signatureOf(code, programBytes, identifier, length)]));
}

/** Adds the load command that leads to the signature, which the last segment has to hold. Returns the size of the program. */
function announce(code: Buffer, offset: number, length: number): bigint {
  if (code.readUInt32LE(0) !== MAGIC_64) throw new Error('This is no executable of macOS for 64 bits.');
  const commands = code.readUInt32LE(16);
  const end = HEADER_BYTES + code.readUInt32LE(20);
  const added = code.subarray(end, end + CODE_SIGNATURE_BYTES);
  if (added.some((byte) => byte !== 0)) throw new Error('There is no room for the signature.');
  let programBytes = 0n;
  for (let at = HEADER_BYTES; at < end; at += code.readUInt32LE(at + 4)) {
    const kind = code.readUInt32LE(at);
    if (kind === CODE_SIGNATURE) throw new Error('It is signed already.');
    if (kind !== SEGMENT_64) continue;
    const name = code.toString('latin1', at + 8, at + 24).replaceAll('\0', '');
    if (name === '__TEXT') programBytes = code.readBigUInt64LE(at + 48);
    if (name !== '__LINKEDIT') continue;
    const bytes = BigInt(offset + length) - code.readBigUInt64LE(at + 40);
    const pages = (bytes + MEMORY_PAGE_BYTES - 1n) / MEMORY_PAGE_BYTES;
    code.writeBigUInt64LE(pages * MEMORY_PAGE_BYTES, at + 32);
    code.writeBigUInt64LE(bytes, at + 48);
  }
  code.writeUInt32LE(commands + 1, 16);
  code.writeUInt32LE(end - HEADER_BYTES + CODE_SIGNATURE_BYTES, 20);
  for (const [i, value] of [CODE_SIGNATURE, CODE_SIGNATURE_BYTES, offset, length].entries())
    added.writeUInt32LE(value, 4 * i);
  return programBytes;
}

function signatureOf(code: Buffer, programBytes: bigint, identifier: string, length: number): Buffer {
  const name = Buffer.from(`${identifier}\0`, 'latin1');
  const pageBytes = 2 ** HASHED_PAGE_BITS;
  const hashes = Array.from({ length: Math.ceil(code.length / pageBytes) }, (_, i) =>
    createHash('sha256')
      .update(code.subarray(i * pageBytes, (i + 1) * pageBytes))
      .digest(),
  );
  const superBlob = bigEndian(EMBEDDED_SIGNATURE, length, 1, 0, SUPER_BLOB_BYTES);
  const directory = Buffer.concat([
    bigEndian(CODE_DIRECTORY, length - SUPER_BLOB_BYTES, VERSION, AD_HOC),
    bigEndian(DIRECTORY_BYTES + name.length, DIRECTORY_BYTES, 0, hashes.length, code.length),
    Buffer.from([HASH_BYTES, SHA256, 0, HASHED_PAGE_BITS]),
    // Nothing scattered, no team, and a limit that fits into the 32 bits above.
    bigEndian(0, 0, 0, 0),
    bigEndianLong(0n, 0n, programBytes, MAIN_BINARY),
  ]);
  return Buffer.concat([superBlob, directory, name, ...hashes]);
}

function bigEndian(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [i, value] of values.entries()) bytes.writeUInt32BE(value, 4 * i);
  return bytes;
}

function bigEndianLong(...values: bigint[]): Buffer {
  const bytes = Buffer.alloc(8 * values.length);
  for (const [i, value] of values.entries()) bytes.writeBigUInt64BE(value, 8 * i);
  return bytes;
}
