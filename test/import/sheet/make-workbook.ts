/** Workbooks as spreadsheet programs write them, with as little as these need. */

import { zip } from '../../../packaging/zip.ts';

export { zip };

/** A value of a cell: text, or XML attributes and content as they are. */
export type MadeCell = string | number | { readonly xml: string };

/** Formats: 1 is a date, 2 a time, 3 both, 4 hours beyond a day; 5 is crossed out, 6 a date that is. */
const STYLES = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd/mm/yyyy\\ hh:mm"/><numFmt numFmtId="165" formatCode="[h]:mm"/></numFmts>
<fonts><font><strike val="0"/></font><font><b/><strike/></font></fonts><cellStyleXfs><xf numFmtId="0"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="20"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="0" fontId="1"/><xf numFmtId="14" fontId="1"/></cellXfs><dxfs><dxf><font><strike/></font></dxf></dxfs></styleSheet>`;

export interface MadeSheet {
  readonly name: string;
  readonly rows: readonly (readonly MadeCell[])[];
  readonly merges?: readonly string[];
  readonly isHidden?: boolean;
  /** From 1 on. */
  readonly hiddenRows?: readonly number[];
  /** The same. */
  readonly hiddenColumns?: readonly number[];
  /** XML of its comments, and of its threads of comments. */
  readonly comments?: readonly [comments: string, threads: string];
}

/** A workbook of one sheet. */
export function book(rows: MadeSheet['rows'], merges: readonly string[] = []): Buffer {
  return xlsx([{ name: 'A', rows, merges }]);
}

export function xlsx(sheets: readonly MadeSheet[], { has1904Dates = false } = {}): Buffer {
  const strings: string[] = [];
  const parts = sheets.map(({ rows, merges = [], hiddenRows = [], hiddenColumns = [] }, i) => [
    `xl/worksheets/sheet${i + 1}.xml`,
    `<worksheet><cols>${hiddenColumns.map((column) => `<col min="${column}" max="${column}" hidden="1"/>`).join('')}</cols><sheetData>${rows
      .map(
        (cells, row) =>
          `<row r="${row + 1}"${hiddenRows.includes(row + 1) ? ' hidden="1"' : ''}>${cells.map((cell, column) => cellXml(cell, column, row, strings)).join('')}</row>`,
      )
      .join(
        '',
      )}</sheetData>${merges.length > 0 ? `<mergeCells>${merges.map((ref) => `<mergeCell ref="${ref}"/>`).join('')}</mergeCells>` : ''}</worksheet>`,
  ]);
  const type = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  return zip([
    ['[Content_Types].xml', '<Types/>'],
    [
      '_rels/.rels',
      `<Relationships><Relationship Id="rId1" Type="${type}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ],
    [
      'xl/workbook.xml',
      `<workbook xmlns:r="${type}"><workbookPr date1904="${has1904Dates ? 1 : 0}"/><sheets>${sheets
        .map(
          ({ name, isHidden }, i) =>
            `<sheet name="${name}" sheetId="${i + 1}" r:id="s${i + 1}"${isHidden ? ' state="hidden"' : ''}/>`,
        )
        .join('')}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      `<Relationships>${sheets.map((_, i) => `<Relationship Id="s${i + 1}" Type="${type}/worksheet" Target="worksheets/sheet${i + 1}.xml"/>`).join('')}<Relationship Id="t" Type="${type}/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="u" Type="${type}/styles" Target="/xl/styles.xml"/></Relationships>`,
    ],
    ...(parts as [string, string][]),
    ...sheets.flatMap(({ comments }, i): readonly [string, string][] =>
      comments === undefined
        ? []
        : [
            [
              `xl/worksheets/_rels/sheet${i + 1}.xml.rels`,
              `<Relationships><Relationship Id="c" Type="${type}/comments" Target="../comments${i}.xml"/><Relationship Id="d" Type="http://schemas.microsoft.com/office/2017/10/relationships/threadedComment" Target="../threads${i}.xml"/></Relationships>`,
            ],
            [`xl/comments${i}.xml`, `<comments><commentList>${comments[0]}</commentList></comments>`],
            [`xl/threads${i}.xml`, `<ThreadedComments>${comments[1]}</ThreadedComments>`],
          ],
    ),
    [
      'xl/sharedStrings.xml',
      `<sst>${strings.map((text) => `<si><t xml:space="preserve">${text}</t></si>`).join('')}</sst>`,
    ],
    ['xl/styles.xml', STYLES],
  ]);
}

/** Days since 1899-12-30, and parts of them. */
export function serial(date: string, time = '00:00'): number {
  const days = Date.parse(`${date}T00:00:00Z`) / 86_400_000 + 25_569;
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return days + (hours * 60 + minutes) / 1_440;
}

export const asDate = (date: string): MadeCell => ({ xml: ` s="1"><v>${serial(date)}</v>` });
export const asTime = (time: string): MadeCell => ({ xml: ` s="2"><v>${serial('1899-12-30', time)}</v>` });
export const asBoth = (date: string, time: string): MadeCell => ({
  xml: ` s="3"><v>${serial(date, time)}</v>`,
});

export const asCrossedOut = (text: string): MadeCell => ({
  xml: ` t="inlineStr" s="5"><is><t>${text}</t></is>`,
});
export const asCrossedOutDate = (date: string): MadeCell => ({ xml: ` s="6"><v>${serial(date)}</v>` });
/** Rich text, of which one run is crossed out. */
export const asPartlyCrossedOut = (kept: string, crossed: string): MadeCell => ({
  xml: ` t="inlineStr"><is><r><t xml:space="preserve">${kept} </t></r><r><rPr><b/><strike/></rPr><t>${crossed}</t></r></is>`,
});

function cellXml(cell: MadeCell, column: number, row: number, strings: string[]): string {
  if (cell === '') return '';
  const place = `${String.fromCharCode(65 + column)}${row + 1}`;
  if (typeof cell === 'number') return `<c r="${place}"><v>${cell}</v></c>`;
  if (typeof cell !== 'string') return `<c r="${place}"${cell.xml}</c>`;
  strings.push(cell);
  return `<c r="${place}" t="s"><v>${strings.length - 1}</v></c>`;
}

export function ods(tables: string, styles = ''): Buffer {
  return zip([
    ['mimetype', 'application/vnd.oasis.opendocument.spreadsheet'],
    [
      'content.xml',
      `<office:document-content><office:automatic-styles>${styles}</office:automatic-styles><office:body><office:spreadsheet>${tables}</office:spreadsheet></office:body></office:document-content>`,
    ],
  ]);
}
