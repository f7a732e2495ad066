/** Secrets that are made, shown once, and revoked: tokens of programs, and keys of people. For owners. */

import type { lifeOf } from '../../feed/access/token.ts';
import type { DeskRole } from '../../store/admin/tokens.ts';
import { ask, Refusal, type Session } from './ask.ts';
import { button, field, form, isSure, lead, once, section, select, table, timeText } from './controls.ts';
import { make } from './dom.ts';
import { TEXTS } from './texts.ts';

interface Secret extends ReturnType<typeof lifeOf> {
  id: number;
  /** Of a token. */
  label?: string;
  hint?: string;
  /** Of who has a key. */
  name?: string;
  role?: DeskRole;
}

const { secrets: texts } = TEXTS;
/** As long as keys live that the command line makes: 90 days. */
const KEY_MS = 90 * 86_400_000;

export async function openTokens(panel: HTMLElement, session: Session) {
  const tokens = await makeSecrets('tokens', session, ({ label, hint = '' }) => [label || hint, hint]);
  panel.replaceChildren(tokens);
}

/** Who may open this desk. */
export function makeInvitations(session: Session) {
  return makeSecrets('keys', session, ({ name = '', role = 'planner' }) => [name, TEXTS.roles[role]]);
}

async function makeSecrets(
  kind: 'tokens' | 'keys',
  { account }: Session,
  describe: (secret: Secret) => [name: string, detail: string],
) {
  const region = section(texts[kind].title);
  const title = region.firstElementChild ?? region;
  const timeOf = (instant: string | null) => timeText(instant, account.time_zone);

  async function show(...news: Node[]) {
    const answer: { premium?: boolean; tokens?: Secret[]; keys?: Secret[] } = await ask('GET', `api/${kind}`);
    const { premium, [kind]: secrets = [] } = answer;
    const rows = secrets.map((secret) => [
      ...describe(secret),
      texts.states[secret.state],
      timeOf(secret.created_at),
      timeOf(lastUseOf(secret)),
      timeOf(secret.expires_at),
      secret.state === 'revoked' ? '' : revoking(secret.id, describe(secret)[0]),
    ]);
    const shown =
      rows.length === 0 ? make('p', {}, TEXTS.none) : table(texts[kind].title, texts[kind].columns, rows);
    region.replaceChildren(
      title,
      make('p', { class: 'hint' }, texts[kind].intro),
      ...(premium === false ? [make('p', {}, make('strong', {}, texts.asleep))] : []),
      ...news,
      makeForm(kind, account.today, renew),
      shown,
    );
  }
  async function renew(...news: Node[]) {
    await show(...news);
    lead(region);
  }
  const revoking = (id: number, name: string) => {
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

/** Uses are recorded by the hour, and the first of them may have begun before there was the secret. */
function lastUseOf({ created_at, last_used_at }: Secret) {
  return last_used_at !== null && created_at !== null && last_used_at < created_at
    ? created_at
    : last_used_at;
}

function makeForm(kind: 'tokens' | 'keys', today: string, renew: (secret: Node) => Promise<void>) {
  const name = make('input', { maxlength: '200' });
  const role = select(Object.entries(TEXTS.roles), 'planner');
  const expires = make('input', { type: 'date' });
  if (kind === 'keys') expires.valueAsDate = new Date(Date.parse(today) + KEY_MS);
  const create = async () => {
    if (kind === 'keys' && name.value.trim() === '') {
      name.focus();
      throw new Refusal(texts.unnamed, 400);
    }
    const what =
      kind === 'tokens' ? { label: name.value.trim() } : { name: name.value.trim(), role: role.value };
    const body = { ...what, expires: expires.value };
    const { token, link = token ?? '' }: { token?: string; link?: string } = await ask(
      'POST',
      `api/${kind}`,
      {
        body,
      },
    );
    await renew(once(texts[kind].secret, texts[kind].once, link));
  };
  const fields = [field(texts[kind].name, name), ...(kind === 'keys' ? [field(texts.role, role)] : [])];
  return form(texts[kind].create, create, ...fields, field(texts.expires, expires, texts.optional));
}
