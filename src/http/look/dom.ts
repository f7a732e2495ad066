/** Elements: finding and making them, tabs, and buttons that copy. */

/** The one element that a selector names. */
export function find<E extends Element = HTMLElement>(
  selector: string,
  type?: new () => E,
  within: ParentNode = document,
): E {
  const element = within.querySelector(selector);
  if (!(element instanceof (type ?? HTMLElement))) throw new Error(`The page has no ${selector}.`);
  return element as E;
}

export function make<T extends keyof HTMLElementTagNameMap>(
  tag: T,
  attributes: Readonly<Record<string, string>>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[T] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** A checkbox or radio button that looks like a button. */
export function makeToggle(attributes: Readonly<Record<string, string>>, text: string): HTMLLabelElement {
  return make('label', {}, make('input', attributes), make('span', {}, text));
}

/** Tabs as the ARIA practices describe them: one stop for the Tab key, arrows between the tabs. */
export function enableTabs(tablist: HTMLElement, onChosen: (tab: HTMLElement) => void) {
  const tabs = [...tablist.querySelectorAll('[role="tab"]')] as HTMLElement[];

  function choose(chosen: HTMLElement) {
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
    const at = tabs.indexOf(document.activeElement as HTMLElement);
    const targets: Record<string, number> = {
      ArrowRight: (at + 1) % tabs.length,
      ArrowLeft: at - 1,
      Home: 0,
      End: -1,
    };
    const target = tabs.at(targets[event.key] ?? at);
    if (at < 0 || target === undefined || target === tabs[at]) return;
    event.preventDefault();
    target.focus();
    choose(target);
  });
}

const CONFIRMED_MS = 2_000;

/** A button that copies a text, and says so. */
export function enableCopying(button: HTMLElement, textOf: () => string) {
  const title = button.textContent ?? '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  button.addEventListener('click', async () => {
    button.textContent = (await copy(textOf())) ? 'Copied' : 'Not allowed';
    clearTimeout(timer);
    timer = setTimeout(() => {
      button.textContent = title;
    }, CONFIRMED_MS);
  });
}

async function copy(text: string) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without HTTPS, browsers have a clipboard for this machine's own addresses alone.
    return copySelected(text);
  }
}

function copySelected(text: string) {
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
