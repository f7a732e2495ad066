/** The tokens of the account: made, shown once, and revoked. For owners. */

import { ask } from './ask.js';
import { button, field, form, isSure, lead, once, section, table, timeText } from './controls.js';
import { make } from './dom.js';
import { TEXTS } from './texts.js';

/** @import { Session } from './ask.js' */

/**
 * @typedef {object} Token
 * @property {number} id
 * @property {string} hint
 * @property {string} label
 * @property {'live' | 'expired' | 'revoked' | 'asleep'} state
 * @property {string} created_at
 * @property {string | null} expires_at
 * @property {string | null} last_used_at
 */

const { tokens: texts } = TEXTS;

/** @param {HTMLElement} panel @param {Session} session @param {...Node} news */
export async function openTokens(panel, session, ...news) {
  /** @type {{ premium: boolean, tokens: readonly Token[] }} */
  const { premium, tokens } = await ask('GET', 'api/tokens');
  const zone = session.account.time_zone;
  const reopen = async (/** @type {Node[]} */ ...shown) => {
    await openTokens(panel, session, ...shown);
    lead(panel);
  };
  const rows = tokens.map((token) => [
    make('span', {}, token.label || texts.unnamed, ' ', make('code', {}, token.hint)),
    texts.states[token.state],
    timeText(token.created_at, zone),
    timeText(token.last_used_at, zone),
    timeText(token.expires_at, zone),
    token.state === 'revoked' ? '' : revokeButton(token, reopen),
  ]);
  const shown = tokens.length === 0 ? make('p', {}, texts.none) : table(texts.title, texts.columns, rows);
  const asleep = premium ? [] : [make('p', { class: 'problem' }, texts.asleep)];
  panel.replaceChildren(
    section(
      texts.title,
      make('p', { class: 'hint' }, texts.intro),
      ...asleep,
      ...news,
      makeForm(reopen),
      shown,
    ),
  );
}

/** @param {(...news: Node[]) => Promise<void>} reopen */
function makeForm(reopen) {
  const label = make('input', { maxlength: '200' });
  const expires = make('input', { type: 'date' });
  const create = async () => {
    const body = { label: label.value.trim(), expires: expires.value };
    /** @type {{ token: string }} */
    const { token } = await ask('POST', 'api/tokens', { body });
    await reopen(once(texts.value, texts.once, token));
  };
  return form(texts.new, create, field(texts.label, label), field(texts.expires, expires, texts.optional));
}

/** @param {Token} token @param {() => Promise<void>} reopen */
function revokeButton({ id, label, hint }, reopen) {
  const name = label || hint;
  const revoke = async () => {
    if (!(await isSure(texts.sure(name), texts.revoke))) return;
    await ask('DELETE', `api/tokens/${id}`);
    await reopen();
  };
  return button(texts.revoke, revoke, { 'aria-description': name });
}
