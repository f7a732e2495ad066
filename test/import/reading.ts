import type { DocumentPart } from '../../src/import/document.ts';
import { readDocument } from '../../src/import/read-document.ts';

/** The parts of a document that arrives in pieces of so many bytes. */
export async function readText(text: string | Buffer, bytesPerPiece = 1 << 16): Promise<DocumentPart[]> {
  return Array.fromAsync(readDocument(piecesOf(Buffer.from(text as string), bytesPerPiece)));
}

async function* piecesOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}
