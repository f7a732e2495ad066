/** How values from outside are shown in a sentence: quoted, escaped and cut short. */

const MAX_SHOWN_CHARACTERS = 40;

export function quote(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(cut(value));
    case 'object':
      return cut(
        Array.isArray(value) ? `[${value.slice(0, MAX_SHOWN_CHARACTERS).map(quote)}]` : JSON.stringify(value),
      );
    default:
      return cut(String(value));
  }
}

function cut(text: string): string {
  const characters = [...text.slice(0, 4 * MAX_SHOWN_CHARACTERS)];
  return characters.length > MAX_SHOWN_CHARACTERS
    ? `${characters.slice(0, MAX_SHOWN_CHARACTERS).join('')}…`
    : text;
}
