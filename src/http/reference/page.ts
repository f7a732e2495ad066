/**
 * The page at /docs: docs/api.md as HTML, in the look of the explorer. A request of an example leads there, with its
 * parameters filled in.
 */

import { Marked, type Token, type Tokens } from 'marked';
import { ownFile } from '../../install/files.ts';

const FRAME = new URL('./page.html', import.meta.url);
const TEXT = new URL('../../../docs/api.md', import.meta.url);

/** All examples open in the same tab, which keeps the account and the token that were entered there. */
const TAB = 'explorer';
/** Of what the manual links to, the service has the description and the page itself. */
const IS_SERVED = /^(#|openapi\.json$)/;
/** The address in a command. What a shell would have to fill in cannot be a link. */
const REQUEST = /&quot;\$SHIFTS(?:\?((?:(?!&quot;|\$).)+))?&quot;/g;
/** Such code is not broken into lines, because its indentation means something. */
const PROGRAMS = ['js', 'php', 'python'];

export function referencePage(): Buffer {
  const marked = new Marked({ renderer: { heading, code, link } });
  const tokens = marked.lexer(ownFile(TEXT).toString()).filter((token) => !isInFrame(token));
  const parts: Readonly<Record<string, string>> = {
    contents: contentsOf(tokens.filter(isHeading)),
    text: marked.parser(tokens),
  };
  const frame = ownFile(FRAME).toString();
  return Buffer.from(frame.replaceAll(/<!-- (contents|text) -->/g, (_, part: string) => parts[part] ?? ''));
}

/** The title and the list of contents. */
function isInFrame(token: Token): boolean {
  if (token.type === 'list')
    return (token as Tokens.List).items.every(({ text }) => /^\[.+\]\(#.+\)$/.test(text));
  return isHeading(token) && token.depth === 1;
}

function isHeading(token: Token): token is Tokens.Heading {
  return token.type === 'heading';
}

function contentsOf(headings: readonly Tokens.Heading[]): string {
  const items = headings.map(
    ({ text, depth }) => `<li class="depth-${depth}"><a href="#${idOf(text)}">${escaped(text)}</a></li>`,
  );
  return `<ul>${items.join('')}</ul>`;
}

/** As GitHub names it, so that links within the manual hold in both places. */
function idOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function heading({ text, depth }: Tokens.Heading): string {
  return `<h${depth} id="${idOf(text)}">${escaped(text)}</h${depth}>\n`;
}

function code({ text, lang = '' }: Tokens.Code): string {
  const html = escaped(text).replaceAll(REQUEST, (request: string, query = 'page=1') => {
    const isEmpty = query.endsWith('=');
    return isEmpty ? request : `<a href="./#${query}" target="${TAB}">${request}</a>`;
  });
  const scrolls = PROGRAMS.includes(lang) ? ' class="program" tabindex="0"' : '';
  return `<pre${scrolls}><code>${html}</code></pre>\n`;
}

function link(
  this: { parser: { parseInline(tokens: Token[]): string } },
  { href, tokens }: Tokens.Link,
): string {
  const text = this.parser.parseInline(tokens);
  return IS_SERVED.test(href) ? `<a href="${escaped(href)}">${text}</a>` : text;
}

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
