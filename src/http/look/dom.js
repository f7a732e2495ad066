/** Elements: finding and making them, tabs, and buttons that copy. */

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

/**
 * Tabs as the ARIA practices describe them: one stop for the Tab key, arrows between the tabs.
 *
 * @param {HTMLElement} tablist
 * @param {(tab: HTMLElement) => void} onChosen
 */
export function enableTabs(tablist, onChosen) {
  const tabs = /** @type {HTMLElement[]} */ ([...tablist.querySelectorAll('[role="tab"]')]);

  /** @param {HTMLElement} chosen */
  function choose(chosen) {
    for (const tab of tabs) {
      const isChosen = tab === chosen;
      tab.setAttribute('aria-selected', String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      const panel = document.getElementById(tab.getAttribute('aria-controls') ?? '');
      if (panel !== null) panel.hidden = !isChosen;
    }
    onChosen(chosen);
  }

  for (const tab of tabs) {
    tab.tabIndex = tab.getAttribute('aria-selected') === 'true' ? 0 : -1;
    tab.addEventListener('click', () => choose(tab));
  }
  tablist.addEventListener('keydown', (event) => {
    const at = tabs.indexOf(/** @type {HTMLElement} */ (document.activeElement));
    /** @type {Record<string, number>} */
    const targets = { ArrowRight: (at + 1) % tabs.length, ArrowLeft: at - 1, Home: 0, End: -1 };
    const target = tabs.at(targets[event.key] ?? at);
    if (at < 0 || target === undefined || target === tabs[at]) return;
    event.preventDefault();
    target.focus();
    choose(target);
  });
}

const CONFIRMED_MS = 2_000;

/**
 * A button that copies a text, and says so.
 *
 * @param {HTMLElement} button
 * @param {() => string} textOf
 */
export function enableCopying(button, textOf) {
  const title = button.textContent ?? '';
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  button.addEventListener('click', async () => {
    button.textContent = (await copy(textOf())) ? 'Copied' : 'Not allowed';
    clearTimeout(timer);
    timer = setTimeout(() => {
      button.textContent = title;
    }, CONFIRMED_MS);
  });
}

/** @param {string} text */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without HTTPS, browsers have a clipboard for this machine's own addresses alone.
    return copySelected(text);
  }
}

/** @param {string} text */
function copySelected(text) {
  const field = document.createElement('textarea');
  field.value = text;
  document.body.append(field);
  const focused = document.activeElement;
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
