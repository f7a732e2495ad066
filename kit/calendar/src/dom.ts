/** Elements with their attributes and children. Text always becomes a text node, so data is never read as HTML. */

type Child = Node | string | false | undefined;
type Attributes = Readonly<Record<string, string | false | undefined>>;

export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) made.setAttribute(name, value);
  }
  for (const child of children) if (child !== undefined && child !== false) made.append(child);
  return made;
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
