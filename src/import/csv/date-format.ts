/**
 * Dates as spreadsheets write them. `01/02/2027` is a day in January to some and in February to others, so a date is
 * read as YYYY-MM-DD or as the operator says, and never guessed.
 */

export interface DateFormat {
  /** Such as `D-M-YYYY`. */
  readonly name: string;
  /** The date as YYYY-MM-DD, which may still be a day that does not exist; undefined when it is written otherwise. */
  read(cell: string): string | undefined;
}

export const DATE_FORMAT_RULE =
  'a pattern of D or DD, M or MM, and YYYY, such as DD-MM-YYYY, D/M/YYYY, MM/DD/YYYY or YYYYMMDD';

/** undefined: it is no pattern that can be read in one way only. */
export function parseDateFormat(text: string): DateFormat | undefined {
  const name = text.toUpperCase();
  const parts = /^(DD?|MM?|YYYY)([-/. ]?)(DD?|MM?|YYYY)\2(DD?|MM?|YYYY)$/.exec(name);
  if (parts === null) return undefined;
  const [, first = '', separator = '', second = '', third = ''] = parts;
  const tokens = [first, second, third];
  const letters = tokens.map((token) => token[0]).join('');
  const order = { year: letters.indexOf('Y'), month: letters.indexOf('M'), day: letters.indexOf('D') };
  if (Object.values(order).includes(-1)) return undefined;
  // Without separators, only widths tell where a part ends.
  if (separator === '' && tokens.some((token) => token.length === 1)) return undefined;
  // YYYY-MM-DD is always taken, so the same with the day first could be read in two ways.
  if (letters === 'YDM' && separator === '-') return undefined;
  const digits = tokens.map((token) => (token.length === 1 ? '(\\d{1,2})' : `(\\d{${token.length}})`));
  const expression = new RegExp(`^${digits.join(separator === '.' ? '\\.' : separator)}$`);
  return {
    name,
    read(cell) {
      const found = expression.exec(cell);
      if (found === null) return undefined;
      const part = (index: number) => (found[index + 1] ?? '').padStart(2, '0');
      return `${part(order.year)}-${part(order.month)}-${part(order.day)}`;
    },
  };
}
