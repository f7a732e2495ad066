/** The drawing that plots are made of: text, lines and a card behind them, readable on light pages and on dark ones. */

export const INK = '#1f2933';
export const FAINT_INK = '#616e7c';
const CARD = '#ffffff';
const EDGE = '#cbd2d9';

export function card(width: number, height: number, title: string, content: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="13" role="img">`,
    `<title>${escapeText(title)}</title>`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="${CARD}" stroke="${EDGE}"/>`,
    text(24, 32, title, { size: 16, weight: 'bold' }),
    ...content,
    '</svg>',
    '',
  ].join('\n');
}

export interface TextOptions {
  readonly anchor?: 'start' | 'middle' | 'end';
  readonly size?: number;
  readonly weight?: 'normal' | 'bold';
  readonly colour?: string;
}

export function text(x: number, y: number, content: string, options: TextOptions = {}): string {
  const { anchor = 'start', size = 13, weight = 'normal', colour = INK } = options;
  return `<text x="${round(x)}" y="${round(y)}" text-anchor="${anchor}" font-size="${size}" font-weight="${weight}" fill="${colour}">${escapeText(content)}</text>`;
}

export function line(x1: number, y1: number, x2: number, y2: number, colour = EDGE): string {
  return `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="${colour}"/>`;
}

export function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escapeText(content: string): string {
  return content
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
