/** Secrets that are made, shown once, and revoked: tokens of programs, and keys of people. For owners. */

import { ask } from './ask.js';
import { button, field, form, isSure, lead, once, section, select, table, timeText } from './controls.js';
import { make } from './dom.js';
import { TEXTS } from './texts.js';

/** @import { Session } from './ask.js' */

/**
 * @typedef {object} Secret
 * @property {number} id
 * @property {string} [label] of a token
 * @property {string} [hint] of a token
 * @property {string} [name] of who has a key
 * @property {'planner' | 'owner'} [role]
 * @property {'live' | 'expired' | 'revoked' | 'asleep'} state
 * @property {string} created_at
 * @property {string | null} expires_at
 * @property {string | null} last_used_at
 */

const { secrets: texts } = TEXTS;
/** As long as keys live that the command line makes: 90 days. */
const KEY_MS = 90 * 86_400_000;

/** @param {HTMLElement} panel @param {Session} session */
export async function openTokens(panel, session) {
  const tokens = await makeSecrets('tokens', session, ({ label, hint = '' }) => [label || hint, hint]);
  panel.replaceChildren(tokens);
}

/** Who may open this desk. @param {Session} session */
export function makeInvitations(session) {
  return makeSecrets('keys', session, ({ name = '', role = 'planner' }) => [name, TEXTS.roles[role]]);
}

/**
 * @param {'tokens' | 'keys'} kind
 * @param {Session} session
 * @param {(secret: Secret) => [name: string, detail: string]} describe
 */
async function makeSecrets(kind, { account }, describe) {
  const region = section(texts[kind].title);
  const title = region.firstElementChild ?? region;
  const timeOf = (/** @type {string | null} */ instant) => timeText(instant, account.time_zone);

  /** @param {...Node} news */
  async function show(...news) {
    /** @type {{ premium?: boolean, tokens?: readonly Secret[], keys?: readonly Secret[] }} */
    const { premium, [kind]: secrets = [] } = await ask('GET', `api/${kind}`);
    const rows = secrets.map((secret) => [
      ...describe(secret),
      texts.states[secret.state],
      timeOf(secret.created_at),
      timeOf(secret.last_used_at),
      timeOf(secret.expires_at),
      secret.state === 'revoked' ? '' : revoking(secret.id, describe(secret)[0]),
    ]);
    const intro = premium === false ? texts.asleep : texts[kind].intro;
    const shown =
      rows.length === 0 ? make('p', {}, TEXTS.none) : table(texts[kind].title, texts[kind].columns, rows);
    region.replaceChildren(
      title,
      make('p', { class: 'hint' }, intro),
      ...news,
      makeForm(kind, account.today, renew),
      shown,
    );
  }
  /** @param {...Node} news */
  async function renew(...news) {
    await show(...news);
    lead(region);
  }
  const revoking = (/** @type {number} */ id, /** @type {string} */ name) => {
    const revoke = async () => {
      if (!(await isSure(texts[kind].sure(name), texts.revoke))) return;
      await ask('DELETE', `api/${kind}/${id}`);
      await renew();
    };
    return button(texts.revoke, revoke, { 'aria-description': name });
  };
  await show();
  return region;
}

/** @param {'tokens' | 'keys'} kind @param {string} today @param {(secret: Node) => Promise<void>} renew */
function makeForm(kind, today, renew) {
  const name = make('input', { maxlength: '200' });
  const role = select(TEXTS.roles, 'planner');
  const expires = make('input', { type: 'date' });
  if (kind === 'keys') expires.valueAsDate = new Date(Date.parse(today) + KEY_MS);
  const create = async () => {
    const what =
      kind === 'tokens' ? { label: name.value.trim() } : { name: name.value.trim(), role: role.value };
    /** @type {{ token?: string, link?: string }} */
    const { token, link = token ?? '' } = await ask('POST', `api/${kind}`, {
      body: { ...what, expires: expires.value },
    });
    await renew(once(texts[kind].secret, texts[kind].once, link));
  };
  const fields = [field(texts[kind].name, name), ...(kind === 'keys' ? [field(texts.role, role)] : [])];
  return form(texts[kind].create, create, ...fields, field(texts.expires, expires, texts.optional));
}
