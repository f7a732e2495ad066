/** Elements with their attributes and children. Text always becomes a text node, so data is never read as HTML. */

import { type Attributes, attributeText, type Drawing } from '@shiftfeed/common/calendar/drawing';

type Child = Node | string | false | undefined;

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  setAttributes(made, attributes);
  for (const child of children) if (child !== undefined && child !== false) made.append(child);
  return made;
}

function setAttributes(element: HTMLElement, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    const text = attributeText(value);
    if (text === undefined) element.removeAttribute(name);
    else if (element.getAttribute(name) !== text) element.setAttribute(name, text);
  }
}

/** Makes what is drawn. */
export function make({ tag, attributes, children }: Drawing): HTMLElement {
  const made = children.map((child) => (typeof child === 'string' ? child : make(child)));
  return element(tag as 'div', attributes, ...made);
}

/**
 * Makes an element what is drawn, and touches only what is different, so that focus and what visitors unfolded stay. A drawing
 * without children says nothing of them, and one without an attribute nothing of that.
 */
export function bringUpToDate(shown: HTMLElement, { attributes, children }: Drawing): void {
  setAttributes(shown, attributes);
  if (children.length === 0) return;
  const nodes = [...shown.childNodes];
  for (const node of nodes.slice(children.length)) node.remove();
  for (const [i, child] of children.entries()) {
    const node = nodes[i];
    if (typeof child === 'string') {
      if (node instanceof Text) {
        if (node.data !== child) node.data = child;
      } else if (node === undefined) shown.append(child);
      else node.replaceWith(child);
    } else if (node instanceof HTMLElement && node.localName === child.tag) bringUpToDate(node, child);
    else if (node === undefined) shown.append(make(child));
    else node.replaceWith(make(child));
  }
}

/** An element without text is not seen. One whose text stays the same is not touched. */
export function setText(element: HTMLElement, text: string): void {
  element.hidden = text === '';
  if (element.textContent !== text) element.textContent = text;
}

/** A stylesheet that is made in the script: a security policy without inline styles has nothing to refuse. */
export function stylesheet(css: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  return sheet;
}
