/** What surrounds the pane: title, buttons, and sentences about the state of things. */

import { element } from './dom.ts';
import type { Language } from './language.ts';
import { CHOSEN_VIEWS, type ChosenView } from './range.ts';

export interface Shell {
  readonly root: HTMLElement;
  /** Where the pane goes. */
  readonly body: HTMLElement;
  readonly title: HTMLElement;
  readonly period: HTMLElement;
  readonly zone: HTMLElement;
  readonly navigation: HTMLElement;
  readonly previous: HTMLButtonElement;
  readonly today: HTMLButtonElement;
  readonly next: HTMLButtonElement;
  readonly views: Readonly<Record<ChosenView, HTMLButtonElement>>;
  readonly earlier: HTMLButtonElement;
  readonly later: HTMLButtonElement;
  /** Above and below the pane. */
  readonly status: Status;
  readonly endStatus: Status;
  /** Shows what the page has between the tags, until there are shifts to show. */
  readonly fallback: HTMLSlotElement;
  /** Puts all fixed words into a language. */
  label(language: Language): void;
}

export interface Status {
  readonly element: HTMLElement;
  readonly retry: HTMLButtonElement;
  say(sentence: string, canRetry?: boolean): void;
}

export function makeShell(): Shell {
  const button = (part: string) => element('button', { part: `button ${part}`, type: 'button' });
  const views = Object.fromEntries(CHOSEN_VIEWS.map((name) => [name, button(`view-${name}`)]));
  const title = element('h2', { part: 'title' });
  const period = element('p', { part: 'period', 'aria-live': 'polite' });
  const zone = element('p', { part: 'zone' });
  const previous = button('previous');
  const today = button('today');
  const next = button('next');
  const earlier = button('earlier');
  const later = button('later');
  const status = makeStatus();
  const endStatus = makeStatus();
  const body = element('div', { part: 'body' });
  const fallback = element('slot', { part: 'fallback' });
  const navigation = element('div', { part: 'navigation', role: 'group' }, previous, today, next);
  const switcher = element('div', { part: 'views', role: 'group' }, ...Object.values(views));
  const header = element(
    'div',
    { part: 'header' },
    element('div', { part: 'heading' }, title, period),
    element('div', { part: 'toolbar' }, navigation, switcher),
  );
  const root = element(
    'div',
    { part: 'calendar', role: 'group' },
    header,
    zone,
    status.element,
    earlier,
    body,
    fallback,
    endStatus.element,
    later,
  );

  const shell: Shell = {
    root,
    body,
    title,
    period,
    zone,
    navigation,
    previous,
    today,
    next,
    views: views as Record<ChosenView, HTMLButtonElement>,
    earlier,
    later,
    status,
    endStatus,
    fallback,
    label: (language) => labelShell(shell, switcher, language),
  };
  return shell;
}

function labelShell(shell: Shell, switcher: HTMLElement, language: Language): void {
  const { root, navigation, views, today, earlier, later, status, endStatus } = shell;
  root.lang = language.tag;
  root.dir = language.direction;
  root.dataset.clock = language.clockHours;
  navigation.setAttribute('aria-label', language.say('navigation'));
  switcher.setAttribute('aria-label', language.say('view'));
  for (const name of CHOSEN_VIEWS) views[name].replaceChildren(language.say(name));
  today.replaceChildren(language.say('today'));
  earlier.replaceChildren(language.say('earlier'));
  later.replaceChildren(language.say('later'));
  status.retry.replaceChildren(language.say('retry'));
  endStatus.retry.replaceChildren(language.say('retry'));
}

function makeStatus(): Status {
  const sentence = element('span');
  const retry = element('button', { part: 'button retry', type: 'button' });
  retry.hidden = true;
  return {
    element: element('div', { part: 'status' }, element('span', { role: 'status' }, sentence), retry),
    retry,
    say(text, canRetry = false) {
      if (sentence.textContent !== text) sentence.replaceChildren(text);
      retry.hidden = !canRetry;
    },
  };
}
