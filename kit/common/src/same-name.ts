/** The same text for names that differ only in case, in spaces at their ends or in a row, or in their Unicode form. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase().normalize('NFC').replaceAll(/\s+/g, ' ').trim();
}
