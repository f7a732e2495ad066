/** Makes names equal that differ only in case, Unicode form, repeated spaces, or spaces at their ends. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase().normalize('NFC').replaceAll(/\s+/g, ' ').trim();
}
