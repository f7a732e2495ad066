/** Files that are nearly right: each is imported, or refused with a sentence. */

import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inflateRawSync } from 'node:zlib';
import { asDate, asTime, ods, xlsx, zip } from '../../test/import/sheet/make-workbook.ts';
import { shiftfeed } from '../../test/support/cli-in-process.ts';
import { type Draw, makeDraw } from '../draw.ts';
import { mutated, swollen } from './mutate.ts';

export const EXAMPLE = readFileSync(fileURLToPath(new URL('../../docs/example.json', import.meta.url)));
const CSV = Buffer.from(
  'Datum;Von;Bis;Gruppe;Ort;Person;Bemerkung\r\n01.12.2026;09:00;17:00;Küche;Hafen;Ada;"erste; Schicht"\r\n02.12.2026;22:00;06:00;Bar;;;\r\n',
);
const ROSTER = Buffer.from('Person,Mon 30 Nov 2026,Tue 1 Dec 2026\nAda,9-17,F\nBo,,22:00-06:00\n');
const ROWS = [
  ['date', 'start_time', 'end_time', 'group', 'person'],
  [asDate('2026-12-01'), asTime('09:00'), asTime('17:00'), 'Kitchen', 'Ada'],
  [asDate('2026-12-02'), asTime('22:00'), asTime('06:00'), 'Bar', ''],
];
const ODS_ROW = (cells: readonly string[]) =>
  `<table:table-row>${cells.map((cell) => `<table:table-cell office:value-type="string"><text:p>${cell}</text:p></table:table-cell>`).join('')}</table:table-row>`;

const KINDS = {
  json: () => EXAMPLE,
  csv: () => CSV,
  roster: () => ROSTER,
  xlsx: () => xlsx([{ name: 'Plan', rows: ROWS, merges: ['A1:A2'] }]),
  ods: () =>
    ods(
      `<table:table table:name="Plan">${ODS_ROW(['date', 'start_time', 'end_time', 'group'])}${ODS_ROW(['2026-12-01', '09:00', '17:00', 'Kitchen'])}</table:table>`,
    ),
} as const;
type FileKind = keyof typeof KINDS;
export const FILE_KINDS = Object.keys(KINDS) as readonly FileKind[];
export const EXTENSIONS: Readonly<Record<FileKind, string>> = {
  json: 'json',
  csv: 'csv',
  roster: 'csv',
  xlsx: 'xlsx',
  ods: 'ods',
};

/** How much is put into a part of a file that is swollen, and how long such a file may occupy the processor. */
const SWOLLEN_BYTES = 500_000;
const MAX_CPU_SECONDS = 20;

/** Throws when a promise is broken. Says what became of the file. */
export async function tryImport(seed: number, folder: string, databaseUrl: string): Promise<string[]> {
  const draw = makeDraw(seed, 'import');
  const kind = draw.pick(FILE_KINDS);
  const file = join(folder, `file.${EXTENSIONS[kind]}`);
  await writeFile(file, drawFile(draw, kind));
  const sheet = kind === 'json' ? [] : sheetArguments(draw, kind);
  const before = process.cpuUsage();
  const { code, stdout, stderr } = await shiftfeed(['import', file, '--dry-run', ...sheet], { databaseUrl });
  const { user, system } = process.cpuUsage(before);
  const cpuSeconds = (user + system) / 1e6;
  if (cpuSeconds > MAX_CPU_SECONDS)
    throw new Error(`A mutated ${kind} occupied the processor for ${Math.round(cpuSeconds)} s.`);
  const said = `${stdout}${stderr}`;
  const isCrash = /internal error|\n {4}at |\b(?:Type|Range|Reference|Syntax)Error\b/.test(said);
  const isSilent = code !== 0 && stderr.trim() === '';
  if (isCrash || isSilent || code === null || code > 2) {
    throw new Error(`A mutated ${kind} ended with ${code}: ${said.slice(0, 1_000)}`);
  }
  return [`${kind} files ${code === 0 ? 'imported' : 'refused'}`];
}

/** What the file lacks, most of the time. */
function sheetArguments(draw: Draw, kind: FileKind): string[] {
  return [
    ...['--account', 'acme'],
    ...(draw.chance(0.9) ? ['--published-from', '2026-11-01'] : []),
    ...(kind === 'roster' ? ['--group', 'Bar'] : []),
  ];
}

/** The packed bytes of a workbook, or what is in it, packed again. */
export function drawFile(draw: Draw, kind: FileKind): Buffer {
  const bytes = KINDS[kind]();
  const isWorkbook = kind === 'xlsx' || kind === 'ods';
  if (draw.chance(0.1)) {
    const swell = (content: Buffer) => swollen(draw, content, SWOLLEN_BYTES);
    return isWorkbook ? withPart(draw, bytes, swell) : swell(bytes);
  }
  if (!isWorkbook || draw.chance(0.3)) return mutated(draw, bytes);
  return zip(
    partsIn(bytes).map(([name, content]) => [name, draw.chance(0.4) ? mutated(draw, content) : content]),
  );
}

function withPart(draw: Draw, archive: Buffer, change: (content: Buffer) => Buffer): Buffer {
  const parts = partsIn(archive);
  const chosen = draw.integer(0, parts.length - 1);
  return zip(parts.map(([name, content], i) => [name, i === chosen ? change(content) : content]));
}

const LOCAL_HEADER = Buffer.from('PK\u0003\u0004');
const LOCAL_HEADER_BYTES = 30;

/** The files of an archive that `zip` has made. */
function partsIn(archive: Buffer): [name: string, content: Buffer][] {
  const parts: [string, Buffer][] = [];
  for (let at = 0; archive.subarray(at, at + LOCAL_HEADER.length).equals(LOCAL_HEADER); ) {
    const packedBytes = archive.readUInt32LE(at + 18);
    const start = at + LOCAL_HEADER_BYTES + archive.readUInt16LE(at + 26);
    const name = archive.toString('utf8', at + LOCAL_HEADER_BYTES, start);
    parts.push([name, inflateRawSync(archive.subarray(start, start + packedBytes))]);
    at = start + packedBytes;
  }
  return parts;
}
