/** What the tabs of the desk are made of: sentences that are said, buttons, fields, tables, and questions that are asked once. */

import { Refusal, type Session } from './ask.ts';
import { enableCopying, find, make } from './dom.ts';
import { LONG_WORD } from './shift-table.ts';
import { TEXTS } from './texts.ts';

/** Whose plan it is. */
export function showSession({ account }: Session) {
  find('#account').textContent = account.name;
  document.title = `${account.name} – Shiftfeed desk`;
}

/** Tells what happened, to screen readers as well. */
export function say(sentence: string) {
  find('#status').textContent = sentence;
}

/** Tells what went wrong. Where the desk could not be reached, there is a button that tries again. */
export function complain(error: unknown, retry?: () => unknown) {
  const problem = document.querySelector('#problem');
  const isAborted = error instanceof DOMException && error.name === 'AbortError';
  // The page that says Sign in has taken the place of this one.
  if (problem === null || isAborted) return;
  if (!(error instanceof Refusal)) reportError(error);
  const message = error instanceof Refusal ? error.message : TEXTS.unexpected;
  const isPassing = error instanceof Refusal && (error.status === 0 || error.status >= 500);
  problem.replaceChildren(
    make('p', {}, message),
    ...(retry !== undefined && isPassing ? [button(TEXTS.tryAgain, retry)] : []),
  );
  (problem as HTMLElement).hidden = false;
  say('');
}

/** For screen readers alone. */
export function unseen(text: string) {
  return make('span', { class: 'unseen' }, text);
}

/** What was said is about something else than what comes now. */
export function hush() {
  const problem = document.querySelector('#problem');
  if (problem === null) return;
  (problem as HTMLElement).hidden = true;
  say('');
}

/** Does what a control is for, once at a time. */
export async function attempt(work: () => unknown, control?: HTMLElement) {
  if (control?.getAttribute('aria-disabled') === 'true') return;
  control?.setAttribute('aria-disabled', 'true');
  try {
    await work();
  } catch (error) {
    complain(error, () => attempt(work, control));
  } finally {
    control?.removeAttribute('aria-disabled');
  }
}

export function button(text: string, work: () => unknown, attributes: Readonly<Record<string, string>> = {}) {
  const element = make('button', { type: 'button', ...attributes }, text);
  element.addEventListener('click', () => {
    hush();
    attempt(work, element);
  });
  return element;
}

/** A button that loads more when it comes near the screen, or is pressed. It says nothing and hushes nobody. */
export function more(load: () => Promise<boolean>): HTMLElement {
  const rest = make('div', { class: 'rest' });
  const element = make('button', { type: 'button' }, TEXTS.showMore);
  element.addEventListener('click', () => {
    // If it fails, the button stays, for whoever wants to try again.
    near.unobserve(rest);
    attempt(async () => ((await load()) ? near.observe(rest) : rest.remove()), element);
  });
  rest.append(element);
  near.observe(rest);
  return rest;
}

const near = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries)
      if (isIntersecting) target.querySelector('button')?.click();
  },
  { rootMargin: '600px' },
);

/** A form whose button, or Enter in a field, does the work. */
export function form(text: string, work: () => unknown, ...fields: Node[]) {
  const submit = make('button', { type: 'submit' }, text);
  const element = make('form', { class: 'row', novalidate: '' }, ...fields, submit);
  element.addEventListener('submit', (event) => {
    event.preventDefault();
    hush();
    attempt(work, submit);
  });
  return element;
}

let fields = 0;

export function field<E extends HTMLElement>(title: string, control: E, hint: string = ''): HTMLElement {
  control.id ||= `field-${++fields}`;
  const label = make('label', { for: control.id }, title);
  if (hint !== '') label.append(make('small', {}, ` ${hint}`));
  return make('div', { class: 'field' }, label, control);
}

export function select(options: readonly (readonly [value: string, title: string])[], chosen: string) {
  const element = make('select', {}, ...options.map(([value, title]) => make('option', { value }, title)));
  element.value = chosen;
  return element;
}

/** Browsers do not count UTC among their zones, and an account may have one that only the desk knows. */
export function selectZone(chosen: string) {
  const zones = new Set(['UTC', ...Intl.supportedValuesOf('timeZone'), chosen]);
  return select(
    [...zones].map((zone) => [zone, zone.replaceAll('_', ' ')]),
    chosen,
  );
}

let sections = 0;

/** A region with a heading, which can have the focus. */
export function section(title: string, ...children: (Node | string)[]) {
  const id = `section-${++sections}`;
  const heading = make('h2', { id, tabindex: '-1' }, title);
  return make('section', { 'aria-labelledby': id }, heading, ...children);
}

/** Leads there, so that keys and screen readers go on from it. */
export function lead(region: HTMLElement) {
  find('h2', HTMLElement, region).focus();
}

export function sentenceList(sentences: readonly string[], title?: string): HTMLElement[] {
  if (sentences.length === 0) return [];
  const items = sentences.map((sentence) => make('li', {}, sentence));
  const list = make('ul', { class: 'sentences' }, ...items);
  return title === undefined ? [list] : [make('h3', {}, title), list];
}

/** On phones, each row is a block, and its cells tell their titles. */
export function table(
  name: string,
  titles: readonly string[],
  rows: readonly (readonly (Node | string)[])[],
) {
  const makeCell = (content: Node | string, i: number) => {
    const cell = make('td', { role: 'cell', 'data-title': titles[i] ?? '' }, content);
    cell.classList.toggle('has-long-word', LONG_WORD.test(cell.textContent));
    return cell;
  };
  const head = titles.map((title) =>
    make('th', { role: 'columnheader', scope: 'col' }, title || unseen(TEXTS.action)),
  );
  return make(
    'table',
    { role: 'table', class: 'records', 'aria-label': name },
    make('thead', { role: 'rowgroup' }, make('tr', { role: 'row' }, ...head)),
    make(
      'tbody',
      { role: 'rowgroup' },
      ...rows.map((row) => make('tr', { role: 'row' }, ...row.map(makeCell))),
    ),
  );
}

export function isSure(sentence: string, verb: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers() as PromiseWithResolvers<boolean>;
  const dialog = make('dialog', { 'aria-label': verb }, make('p', {}, sentence));
  const choose = (text: string, choice: boolean, look: string) => {
    const element = make('button', { type: 'button', class: look }, text);
    element.addEventListener('click', () => {
      resolve(choice);
      dialog.close();
    });
    return element;
  };
  dialog.append(
    make('div', { class: 'line' }, choose(verb, true, 'primary'), choose(TEXTS.cancel, false, '')),
  );
  dialog.addEventListener('close', () => {
    dialog.remove();
    resolve(false);
  });
  document.body.append(dialog);
  dialog.showModal();
  return promise;
}

/** A secret that is shown this once. */
export function once(title: string, sentence: string, secret: string) {
  const value = make('input', { readonly: '' });
  value.value = secret;
  value.addEventListener('focus', () => value.select());
  const copy = make('button', { type: 'button', class: 'primary' }, TEXTS.copy);
  enableCopying(copy, () => secret);
  const card = field(title, value);
  value.after(copy);
  card.classList.add('card', 'once');
  card.append(make('p', { class: 'hint', role: 'status' }, sentence));
  return card;
}

/** Instants as tables show them, such as 2027-01-31 16:05, by the clocks of the account. */
export function timeText(instant: string | null, timeZone: string) {
  if (instant === null) return TEXTS.never;
  const parts = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' };
  // Sweden writes dates as ISO 8601 does.
  return new Intl.DateTimeFormat('sv-SE', { ...(parts as object), timeZone })
    .format(new Date(instant))
    .replace(' ', '\u00a0');
}
