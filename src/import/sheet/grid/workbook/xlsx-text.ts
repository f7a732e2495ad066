/** The text of a cell of an .xlsx. */

import { cutCell, isFullCell } from '../../limits.ts';
import type { XmlHandler } from './xml.ts';

/** Collects the text of the runs within an element, without phonetic hints. */
export function textGatherer(take: (text: string) => void, element: string): Required<XmlHandler> {
  let text = '';
  let isText = false;
  let aloud = 0;
  return {
    open(name) {
      if (name === element) text = '';
      else if (name === 't') isText = aloud === 0;
      else if (name === 'rPh') aloud++;
    },
    text(some) {
      if (isText && !isFullCell(text)) text += some;
    },
    close(name) {
      if (name === 't') isText = false;
      else if (name === 'rPh') aloud--;
      else if (name === element) take(cleaned(text));
    },
  };
}

/** Characters that XML cannot hold are written like _x000D_. */
export function cleaned(text: string): string {
  if (isFullCell(text)) return cutCell(text);
  const plain = text.includes('_x')
    ? text.replaceAll(/_x([0-9A-Fa-f]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    : text;
  return plain.trim();
}
