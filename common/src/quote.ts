/** How values from outside are shown to people. */

const MAX_SHOWN_CHARACTERS = 40;

/** In a sentence: quoted, escaped and cut short. */
export function quote(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return printable(JSON.stringify(cut(value)));
    case 'object':
      return printable(
        cut(
          Array.isArray(value)
            ? `[${value.slice(0, MAX_SHOWN_CHARACTERS).map(quote)}]`
            : JSON.stringify(value),
        ),
      );
    default:
      return cut(String(value));
  }
}

/**
 * Escapes what steers a terminal instead of being read: control characters but line breaks and tabs, and those that
 * turn the direction of what follows.
 */
export function printable(text: string): string {
  return text.replace(STEERING, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const STEERING = /(?![\n\t])[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

function cut(text: string): string {
  const characters = [...text.slice(0, 4 * MAX_SHOWN_CHARACTERS)];
  return characters.length > MAX_SHOWN_CHARACTERS
    ? `${characters.slice(0, MAX_SHOWN_CHARACTERS).join('')}…`
    : text;
}

/** A number with its noun: 1 shift, 2 shifts. */
export function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}

/** Such as `1,048,576`. */
export function inFull(number: number): string {
  return String(number).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}

/** Names and addresses may have several lines. */
export function onOneLine(text: string): string {
  const lines = text.split(/[\r\n]/);
  if (lines.length === 1) return text;
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(', ');
}
