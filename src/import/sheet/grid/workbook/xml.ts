/** Reads XML piece by piece. Its declarations are ignored, and nothing longer than a cell is kept in memory. */

import { SaxesParser } from 'saxes';
import { inFull } from '../../limits.ts';
import { refusal } from '../../refusal.ts';

export interface XmlHandler {
  /** Names come without their prefix. */
  open?(name: string, attributes: Readonly<Record<string, string>>): void;
  close?(name: string): void;
  text?(text: string): void;
}

/** Between two tags. Cells of spreadsheets have at most 32,767. */
const MAX_TEXT_CHARACTERS = 1_000_000;
/** Workbooks have less than 20 levels. */
const MAX_DEPTH = 200;

/** Yields after each piece, so that what the handler made of it can be taken. */
export async function* readXml(pieces: AsyncIterable<Uint8Array>, handler: XmlHandler): AsyncGenerator<void> {
  const parser = new SaxesParser<{ xmlns: false; position: false }>({ xmlns: false, position: false });
  const decoder = new TextDecoder();
  let sinceTag = 0;
  let depth = 0;
  parser.on('doctype', () => {
    throw refusal('the workbook is not one that a spreadsheet program made: it declares a document type');
  });
  parser.on('opentag', ({ name, attributes }) => {
    sinceTag = 0;
    if (++depth > MAX_DEPTH)
      throw refusal(`the workbook is broken: it has tags within tags, more than ${MAX_DEPTH} levels deep`);
    handler.open?.(localName(name), attributes);
  });
  parser.on('closetag', ({ name }) => {
    sinceTag = 0;
    depth--;
    handler.close?.(localName(name));
  });
  parser.on('text', (text) => handler.text?.(text));
  parser.on('cdata', (text) => handler.text?.(text));
  parser.on('error', () => {
    throw refusal('the workbook is broken: save it again in your spreadsheet program');
  });
  for await (const piece of pieces) {
    const text = decoder.decode(piece, { stream: true });
    sinceTag += text.length;
    parser.write(text);
    if (sinceTag > MAX_TEXT_CHARACTERS)
      throw refusal(`the workbook has a cell of more than ${inFull(MAX_TEXT_CHARACTERS)} characters`);
    yield;
  }
  parser.close();
}

/** Reads all of a small file. */
export async function readWholeXml(pieces: AsyncIterable<Uint8Array>, handler: XmlHandler): Promise<void> {
  for await (const _ of readXml(pieces, handler));
}

/**
 * Searches for tags without parsing the XML, which is much faster. Yields text in Latin-1. Between `<` and `>`, the
 * expression must match neither of them, so that it never looks beyond the tag.
 */
export async function* findTags(
  pieces: AsyncIterable<Uint8Array>,
  tag: RegExp,
): AsyncGenerator<RegExpExecArray> {
  let rest = '';
  for await (const piece of pieces) {
    const text = rest + Buffer.from(piece.buffer, piece.byteOffset, piece.length).toString('latin1');
    yield* text.matchAll(tag);
    // A tag may be cut in two.
    const last = text.lastIndexOf('<');
    rest = last === -1 || text.indexOf('>', last) !== -1 ? '' : text.slice(last);
    if (rest.length > MAX_TAG_CHARACTERS)
      throw refusal(
        `the workbook is broken: it has a tag of more than ${inFull(MAX_TAG_CHARACTERS)} characters`,
      );
  }
}

/** Formulas are within tags, too. */
const MAX_TAG_CHARACTERS = 100_000;

export function attribute(attributes: Readonly<Record<string, string>>, name: string): string | undefined {
  const plain = attributes[name];
  if (plain !== undefined) return plain;
  for (const key in attributes) if (localName(key) === name) return attributes[key];
  return undefined;
}

function localName(name: string): string {
  const colon = name.indexOf(':');
  return colon === -1 ? name : name.slice(colon + 1);
}
