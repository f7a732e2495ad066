/**
 * Elements as plain values, which a browser makes and a server writes. Text stays text in both, so data is never read as
 * HTML.
 */

export interface Drawing {
  readonly tag: string;
  /** Those that are `undefined` or `false` are not there. */
  readonly attributes: Attributes;
  readonly children: readonly (Drawing | string)[];
}

export type Attributes = Readonly<Record<string, string | boolean | undefined>>;

export function draw(
  tag: string,
  attributes: Attributes = {},
  ...children: readonly (Drawing | string | false | undefined)[]
): Drawing {
  const isThere = (child: Drawing | string | false | undefined) => child !== undefined && child !== false;
  return { tag, attributes, children: children.filter(isThere) };
}

/** The value of an attribute as HTML has it, or undefined if it is not there. */
export function attributeText(value: string | boolean | undefined): string | undefined {
  return value === true ? '' : value === false ? undefined : value;
}

/** Elements that have no end tag. */
const VOID = new Set(['input', 'link']);

export function writeDrawing({ tag, attributes, children }: Drawing): string {
  const written = Object.entries(attributes).flatMap(([name, value]) => {
    const text = attributeText(value);
    return text === undefined ? [] : [text === '' ? ` ${name}` : ` ${name}="${escapeHtml(text)}"`];
  });
  const inside = children.map((child) =>
    typeof child === 'string' ? escapeHtml(child) : writeDrawing(child),
  );
  return `<${tag}${written.join('')}>${VOID.has(tag) ? '' : `${inside.join('')}</${tag}>`}`;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
