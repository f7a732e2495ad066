/** Finding and making elements. */

/**
 * The one element that a selector names.
 *
 * @template {Element} [E=HTMLElement]
 * @param {string} selector
 * @param {new () => E} [type]
 * @param {ParentNode} [within]
 * @returns {E}
 */
export function find(selector, type, within = document) {
  const element = within.querySelector(selector);
  if (!(element instanceof (type ?? HTMLElement))) throw new Error(`The page has no ${selector}.`);
  return /** @type {E} */ (element);
}

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Readonly<Record<string, string>>} attributes
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/**
 * A checkbox or radio button that looks like a button.
 *
 * @param {Readonly<Record<string, string>>} attributes of the input
 * @param {string} text
 * @returns {HTMLLabelElement}
 */
export function makeToggle(attributes, text) {
  return make('label', {}, make('input', attributes), make('span', {}, text));
}
