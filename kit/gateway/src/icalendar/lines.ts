/** Lines of iCalendar (RFC 5545, 3.1 and 3.3.11): escaped, and folded at 75 octets between characters. */

const MAX_OCTETS = 75;
const encoder = new TextEncoder();

/** A line with its end. `value` is written as it is. */
export function line(name: string, value: string): string {
  return fold(`${name}:${value}`);
}

export function textLine(name: string, text: string): string {
  return fold(`${name}:${escapeText(text)}`);
}

export function escapeText(text: string): string {
  if (/^[\w .:()'/-]*$/.test(text)) return text;
  return (
    text
      .replace(/[\\;,]/g, '\\$&')
      .replace(/\r\n|\r|\n/g, '\\n')
      // Other control characters have no place in a calendar. A tab has.
      .replace(/[^\P{Cc}\t]/gu, '')
  );
}

function fold(text: string): string {
  if (encoder.encode(text).length <= MAX_OCTETS) return `${text}\r\n`;
  let folded = '';
  let octets = 0;
  for (const character of text) {
    const size = octetsOf(character);
    if (octets + size > MAX_OCTETS) {
      folded += '\r\n ';
      octets = 1;
    }
    folded += character;
    octets += size;
  }
  return `${folded}\r\n`;
}

function octetsOf(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}
