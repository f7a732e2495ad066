/** The page without a key: how one gets a link, and what becomes of the key that a link carries. */

import { make } from './dom.js';
import { TEXTS } from './texts.js';

const { signIn } = TEXTS;

/**
 * Takes the key out of the address at once, before anything else sees it, and signs in with it.
 *
 * @returns {boolean} whether there was one
 */
export function takeKey() {
  const key = new URLSearchParams(location.hash.slice(1)).get('key');
  if (key === null) return false;
  history.replaceState(null, '', location.href.split('#')[0]);
  trade(key);
  return true;
}

/** @param {string} key */
async function trade(key) {
  showSignIn(signIn.progress);
  const response = await fetch('api/session', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ key }),
    cache: 'no-store',
    signal: AbortSignal.timeout(30_000),
  }).catch(() => undefined);
  if (response?.ok) return location.replace('./');
  if (response !== undefined) {
    const { error } = await response.json().catch(() => ({}));
    return showSignIn(error ?? signIn.refused);
  }
  const again = make('button', { type: 'button' }, TEXTS.tryAgain);
  again.addEventListener('click', () => trade(key));
  showSignIn(signIn.unreachable, again);
}

/**
 * In place of whatever is shown. The reason is why one has to sign in, if there is one to tell.
 *
 * @param {string} reason
 * @param {...Node} more
 */
export function showSignIn(reason, ...more) {
  document.title = signIn.title;
  const heading = make('h1', { tabindex: '-1' }, signIn.title);
  document.body.replaceChildren(
    make(
      'main',
      { class: 'introduction' },
      heading,
      ...(reason === '' ? [] : [make('div', { class: 'problem', role: 'alert' }, reason, ' ', ...more)]),
      make('p', {}, signIn.how),
      make('p', {}, `${signIn.operator} `, make('code', {}, signIn.command)),
    ),
  );
  heading.focus();
}

// The page of the desk imports this, too, and has something else to show.
if (document.querySelector('[role="tablist"]') === null) {
  addEventListener('hashchange', takeKey);
  if (!takeKey()) showSignIn('');
}
