/** The cells of a CSV. */

/**
 * Whether a spreadsheet may take a cell, or a piece of it, for a formula. Where semicolons separate cells, quotes within
 * a line do not count, so that a semicolon or a line break within a cell begins another one. Such cells are written all
 * the same, because an import of the file has to give the same shifts.
 */
export function isFormula(value: unknown): boolean {
  return typeof value === 'string' && /^[\t\r\n]|(^|[;\t\r\n])[\s"]*[=+@\-＝＋＠－]/.test(value);
}

/**
 * Quoted also where only some readers need it: semicolons and tabs separate cells elsewhere, and spaces at the ends are
 * cut off.
 */
export function quotedIfNeeded(value: string | number | boolean): string {
  const text = String(value);
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
