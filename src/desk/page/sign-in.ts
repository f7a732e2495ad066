/** The page without a key: how one gets a link, and what becomes of the key that a link carries. */

import { make } from './dom.ts';
import { TEXTS } from './texts.ts';

const { signIn } = TEXTS;

/** Takes the key out of the address at once, before anything else sees it, and signs in with it. */
export function takeKey(): boolean {
  const key = new URLSearchParams(location.hash.slice(1)).get('key');
  if (key === null) return false;
  history.replaceState(null, '', location.href.split('#')[0]);
  trade(key);
  return true;
}

async function trade(key: string, instead: boolean = false) {
  showSignIn(signIn.progress);
  const response = await fetch('api/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key, instead }),
    cache: 'no-store',
    signal: AbortSignal.timeout(30_000),
  }).catch(() => undefined);
  if (response?.ok) return location.replace('./');
  if (response !== undefined) {
    const { error } = await response.json().catch(() => ({}));
    return response.status === 409 ? askWhich(error, key) : showSignIn(error ?? signIn.refused);
  }
  showSignIn(
    signIn.unreachable,
    button(TEXTS.tryAgain, () => trade(key, instead)),
  );
}

/** Somebody else is signed in: whoever sent the link may want the next workbook. */
function askWhich(question: string, key: string) {
  showInstead(
    signIn.another,
    make('p', { role: 'alert' }, question),
    make(
      'div',
      { class: 'line' },
      button(signIn.stay, () => location.replace('./')),
      button(signIn.instead, () => trade(key, true)),
    ),
  );
}

function button(text: string, work: () => unknown) {
  const element = make('button', { type: 'button' }, text);
  element.addEventListener('click', work);
  return element;
}

/** The reason is why one has to sign in, if there is one to tell. */
export function showSignIn(reason: string, ...more: Node[]) {
  showInstead(
    signIn.title,
    ...(reason === '' ? [] : [make('div', { class: 'problem', role: 'alert' }, reason, ' ', ...more)]),
    make('p', {}, signIn.how),
    make('p', {}, `${signIn.operator} `, make('code', {}, signIn.command)),
  );
}

/** In place of whatever is shown. */
function showInstead(title: string, ...content: Node[]) {
  document.title = title;
  const heading = make('h1', { tabindex: '-1' }, title);
  document.body.replaceChildren(make('main', { class: 'introduction' }, heading, ...content));
  heading.focus();
}

// The page of the desk imports this, too, and has something else to show.
if (document.querySelector('[role="tablist"]') === null) {
  addEventListener('hashchange', takeKey);
  if (!takeKey()) showSignIn('');
}
