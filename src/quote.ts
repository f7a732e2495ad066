/** How a value from outside is shown in a sentence: quoted, escaped and cut short. */

const MAX_SHOWN_CHARACTERS = 40;

export function quote(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return cut(JSON.stringify(value) ?? String(value));
  return JSON.stringify(cut(value));
}

function cut(text: string): string {
  const characters = [...text.slice(0, 4 * MAX_SHOWN_CHARACTERS)];
  return characters.length > MAX_SHOWN_CHARACTERS
    ? `${characters.slice(0, MAX_SHOWN_CHARACTERS).join('')}…`
    : text;
}
