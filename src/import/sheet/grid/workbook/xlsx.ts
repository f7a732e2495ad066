/** An .xlsx: parts of XML in a zip, which refer to each other. */

import { quote } from '../../../../quote.ts';
import { inFull, MAX_SHEETS, rowCounter } from '../../limits.ts';
import { refusal } from '../../refusal.ts';
import { kindOfBuiltIn, kindOfCode, type NumberKind } from './number-format.ts';
import { tooManySheets, type WorkbookSheet } from './sheet.ts';
import { readRows } from './xlsx-rows.ts';
import { textGatherer } from './xlsx-text.ts';
import { attribute, readWholeXml } from './xml.ts';
import type { Zip } from './zip.ts';

export async function openXlsx(zip: Zip): Promise<readonly WorkbookSheet[]> {
  const main = await mainPart(zip);
  const folder = main.slice(0, main.lastIndexOf('/') + 1);
  const targets = await relationsOf(zip, main);
  const { sheets, has1904Dates } = await readMain(zip, main);
  const partOf = (type: string) => {
    const target = [...targets.values()].find((one) => one.type.endsWith(`/${type}`))?.target;
    return target === undefined ? undefined : resolved(folder, target);
  };
  // All sheets share both, so they are read once, when a sheet first needs them.
  const shared = once(() => sharedStrings(zip, partOf('sharedStrings')));
  const kinds = once(() => numberKinds(zip, partOf('styles')));
  const count = rowCounter();
  const nameOf = new Map<string, string>();
  return sheets.flatMap(({ name, id, isHidden }) => {
    const found = targets.get(id);
    if (found === undefined || !found.type.endsWith('/worksheet')) return [];
    const part = resolved(folder, found.target);
    const other = nameOf.get(part);
    if (other !== undefined)
      throw refusal(
        `the workbook is broken: its sheets ${quote(other)} and ${quote(name)} are one, ${quote(part)}`,
      );
    nameOf.set(part, name);
    return {
      name,
      isHidden,
      async *rows() {
        const context = {
          shared: await shared(),
          kinds: await kinds(),
          daysBefore: has1904Dates ? DAYS_TO_1904 : 0,
          count,
        };
        yield* readRows(zip, part, context);
      },
    };
  });
}

/** Workbooks of old Macs count days from 1904. */
const DAYS_TO_1904 = 1_462;
const MAX_SHARED_CHARACTERS = 60_000_000;
const MAX_SHARED_STRINGS = 3_000_000;
/** Excel has at most 65,490. */
const MAX_CELL_FORMATS = 100_000;

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** `..` in a target is the folder above. */
function resolved(folder: string, target: string): string {
  if (target.startsWith('/')) return target.slice(1);
  const names: string[] = [];
  for (const name of `${folder}${target}`.split('/')) {
    if (name === '..') names.pop();
    else names.push(name);
  }
  return names.join('/');
}

async function mainPart(zip: Zip): Promise<string> {
  if (!zip.has('_rels/.rels')) return 'xl/workbook.xml';
  const target = [...(await relationsOf(zip, '')).values()].find(({ type }) =>
    type.endsWith('/officeDocument'),
  )?.target;
  return resolved('', target ?? 'xl/workbook.xml');
}

interface Relation {
  readonly type: string;
  readonly target: string;
}

async function relationsOf(zip: Zip, part: string): Promise<ReadonlyMap<string, Relation>> {
  const slash = part.lastIndexOf('/') + 1;
  const name = `${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`;
  const relations = new Map<string, Relation>();
  await readWholeXml(zip.open(name), {
    open(tag, { Id = '', Type = '', Target = '' }) {
      if (tag === 'Relationship') relations.set(Id, { type: Type, target: Target });
    },
  });
  return relations;
}

async function readMain(zip: Zip, main: string) {
  const sheets: { readonly name: string; readonly id: string; readonly isHidden: boolean }[] = [];
  let has1904Dates = false;
  await readWholeXml(zip.open(main), {
    open(tag, attributes) {
      if (tag === 'workbookPr') has1904Dates = ['1', 'true'].includes(attributes.date1904 ?? '');
      if (tag !== 'sheet') return;
      const { name = '', state = 'visible' } = attributes;
      sheets.push({ name, id: attribute(attributes, 'id') ?? '', isHidden: state !== 'visible' });
      if (sheets.length > MAX_SHEETS) throw tooManySheets();
    },
  });
  return { sheets, has1904Dates };
}

async function sharedStrings(zip: Zip, part: string | undefined): Promise<readonly string[]> {
  if (part === undefined || !zip.has(part)) return [];
  const strings: string[] = [];
  let characters = 0;
  const text = textGatherer((whole) => {
    characters += whole.length;
    if (characters > MAX_SHARED_CHARACTERS || strings.length >= MAX_SHARED_STRINGS) {
      throw refusal(
        'the workbook has more text than fits into memory: save the sheet as CSV, and import that',
      );
    }
    strings.push(whole);
  }, 'si');
  await readWholeXml(zip.open(part), text);
  return strings;
}

async function numberKinds(zip: Zip, part: string | undefined): Promise<readonly NumberKind[]> {
  if (part === undefined || !zip.has(part)) return [];
  const codes = new Map<number, NumberKind>();
  const kinds: NumberKind[] = [];
  let isCells = false;
  await readWholeXml(zip.open(part), {
    open(name, { numFmtId = '', formatCode = '' }) {
      if (name === 'numFmt') codes.set(Number(numFmtId), kindOfCode(formatCode));
      else if (name === 'cellXfs') isCells = true;
      else if (name === 'xf' && isCells)
        kinds.push(codes.get(Number(numFmtId)) ?? kindOfBuiltIn(Number(numFmtId)));
      if (kinds.length > MAX_CELL_FORMATS)
        throw refusal(
          `the workbook has more than ${inFull(MAX_CELL_FORMATS)} formats of cells: save it as CSV, and import that`,
        );
    },
    close(name) {
      if (name === 'cellXfs') isCells = false;
    },
  });
  return kinds;
}
