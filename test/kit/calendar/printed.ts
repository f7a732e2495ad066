/** What Chromium prints, as far as a test has to know it. */

import assert from 'node:assert/strict';
import { inflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';

type PaperSize = { readonly format: string } | { readonly width: number; readonly height: number };

/** How many pieces of text are on each page when a page is printed as most people do it: without backgrounds. */
export async function printedTexts(page: Page, paper: PaperSize = { format: 'A4' }): Promise<number[]> {
  const pdf = (await page.pdf({ ...paper, printBackground: false })).toString('latin1');
  const pages = pdf.matchAll(/<<\/Type \/Page\n[\s\S]*?\/Contents (\d+) 0 R/g);
  return [...pages].map(([, id = '']) => streamOf(pdf, id).match(/\bBT\b/g)?.length ?? 0);
}

/** A page without anything on it has a stream that is empty, and not compressed. */
function streamOf(pdf: string, id: string): string {
  const object = new RegExp(`\\n${id} 0 obj\\n<<([^<>]*)>> stream\\n`).exec(pdf);
  assert.ok(object, `the PDF has no stream ${id}`);
  const [head, dictionary = ''] = object;
  const start = object.index + head.length;
  const length = Number(/\/Length (\d+)/.exec(dictionary)?.[1]);
  const stream = pdf.slice(start, start + length);
  if (!dictionary.includes('/FlateDecode')) return stream;
  return inflateSync(Buffer.from(stream, 'latin1')).toString('latin1');
}
