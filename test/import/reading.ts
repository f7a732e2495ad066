import assert from 'node:assert/strict';
import type { DocumentPart, JsonPart } from '../../src/import/document.ts';
import type { Given, GivenAccount } from '../../src/import/fields.ts';
import { readDocument } from '../../src/import/json/read.ts';
import type { SheetTask } from '../../src/import/options.ts';
import { type ImportProblem, recordProblem } from '../../src/import/problems.ts';
import { readParts } from '../../src/import/read.ts';
import type { Table } from '../../src/store/records.ts';

/** The parts of a document that arrives in pieces of so many bytes, as a thread would send them. */
export async function readText(text: string | Buffer, bytesPerPiece = 1 << 16): Promise<JsonPart[]> {
  return structuredClone(
    await Array.fromAsync(readDocument(piecesOf(Buffer.from(text as string), bytesPerPiece))),
  );
}

/** The document as it is imported. */
export async function readBack(
  document: unknown,
): Promise<{ [T in Table]: Given<T>[] } & { account: GivenAccount }> {
  const parts = await readText(JSON.stringify(document));
  const members = parts.map((part) => ('table' in part ? { [part.table]: part.records } : part));
  return Object.assign({ groups: [], locations: [], people: [], shifts: [] }, ...members);
}

/** The parts of a sheet for the account acme. */
export async function readSheetText(
  text: string | Buffer,
  options: Partial<SheetTask> = {},
  bytesPerPiece = 1 << 16,
): Promise<DocumentPart[]> {
  const pieces = piecesOf(Buffer.from(text as string), bytesPerPiece);
  return structuredClone(await Array.fromAsync(readParts(pieces, { ...SHEET_OPTIONS, ...options })));
}

/** Every cell that is not empty was read, or is listed as left out. `rows` are those that the sheet was written from. */
export function assertAccounted(
  parts: readonly DocumentPart[],
  rows?: readonly (readonly unknown[])[],
): void {
  const cells = parts.flatMap((part) => ('rows' in part ? (part.report?.cells ?? []) : []))[0];
  assert.ok(cells !== undefined, 'the sheet was not read to its end');
  const leftOut = [...cells.columns, ...cells.rows, cells.crossedOut];
  const filled = rows?.flat().filter((cell) => cell !== '').length ?? cells.all;
  assert.deepEqual(
    [cells.all, cells.read + leftOut.reduce((sum, left) => sum + left.cells, 0)],
    [filled, filled],
    JSON.stringify(cells),
  );
}

const SHEET_OPTIONS: SheetTask = { account: { slug: 'acme' }, columnNames: new Map(), ignoredColumns: [] };

/** What is wrong with a document by itself, whatever a database has. */
export async function problemsOfText(
  text: string | Buffer,
  bytesPerPiece?: number,
): Promise<ImportProblem[]> {
  const positions = new Map<string, number>();
  return (await readText(text, bytesPerPiece)).flatMap((part) => {
    if ('problem' in part) return part.problem;
    if ('account' in part) return [];
    const start = positions.get(part.table) ?? 0;
    positions.set(part.table, start + part.records.length);
    return part.records.flatMap(({ id, flawed }, i) =>
      (flawed?.flaws ?? []).map((flaw) => recordProblem(part.table, start + i, id, flaw)),
    );
  });
}

async function* piecesOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size);
}
