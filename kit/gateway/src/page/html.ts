/** HTML from a template: whatever is put in is escaped, unless it is HTML already. */

export interface Html {
  readonly html: string;
}

type Part = Html | string | number | null | undefined | false | readonly Html[];

export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { html: literals.map((literal, i) => literal + textOf(parts[i])).join('') };
}

function textOf(part: Part): string {
  if (part === undefined || part === null || part === false) return '';
  if (typeof part === 'string' || typeof part === 'number') return escapeHtml(String(part));
  return 'html' in part ? part.html : part.map((item) => item.html).join('');
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
