/** A QR code for a terminal. */

import { generate } from 'lean-qr';

/** The blank margin that readers expect around a code. */
const MARGIN = 4;
/** By which halves of a character are dark. */
const HALVES = { both: '█', upper: '▀', lower: '▄', none: ' ' };
/** Black on white, whatever the colours of the terminal are: some readers cannot read inverted codes. */
const INK = '\u001b[38;5;16;48;5;231m';
const RESET = '\u001b[0m';

/** Lines of text, each with two rows of the code, or undefined if the terminal has too few columns. */
export function drawQrCode(text: string, columns: number): string | undefined {
  const code = generate(text);
  const width = code.size + 2 * MARGIN;
  if (width > columns) return undefined;
  const from = (start: number, step: number, count: number) =>
    Array.from({ length: count }, (_, i) => start + i * step);
  return from(-MARGIN, 2, Math.ceil(width / 2))
    .map((y) => {
      const cells = from(-MARGIN, 1, width).map((x) => cellOf(code.get(x, y), code.get(x, y + 1)));
      return `${INK}${cells.join('')}${RESET}\n`;
    })
    .join('');
}

function cellOf(isUpperDark: boolean, isLowerDark: boolean): string {
  if (isUpperDark) return isLowerDark ? HALVES.both : HALVES.upper;
  return isLowerDark ? HALVES.lower : HALVES.none;
}
