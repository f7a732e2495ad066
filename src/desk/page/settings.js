/** The settings of the account, its groups, locations and people, and who may open this desk. For owners. */

import { ask } from './ask.js';
import {
  attempt,
  button,
  field,
  form,
  hush,
  isSure,
  more,
  say,
  section,
  select,
  showSession,
  table,
} from './controls.js';
import { make } from './dom.js';
import { makeInvitations } from './secrets.js';
import { TEXTS } from './texts.js';

/** @import { Session } from './ask.js' */

/**
 * @typedef {{ slug: string, name: string, time_zone: string, sort: 'time' | 'group' }} Account
 * @typedef {{ id: number, name: string, shifts: number, active?: boolean, private?: boolean, address?: string }} Named
 * @typedef {{ account: Account, sorts: readonly ('time' | 'group')[], groups: readonly Named[], locations: readonly Named[], people: readonly Named[] }} Settings
 */

/** More than that are looked for by name, or shown on demand. */
const ROWS = 100;
const { settings: texts } = TEXTS;

/** @param {HTMLElement} panel @param {Session} session */
export async function openSettings(panel, session) {
  /** @type {Settings} */
  const { account, sorts, groups, locations, people } = await ask('GET', 'api/settings');
  panel.replaceChildren(
    makeAccount(account, sorts, session),
    await makeInvitations(session),
    makeRecords(texts.groups, 'groups', groups, ['active', 'private']),
    makeRecords(texts.locations, 'locations', locations, ['address']),
    makeRecords(texts.people, 'people', people, [], forgetButton),
  );
}

/** @param {Account} account @param {Settings['sorts']} sorts @param {Session} session */
function makeAccount(account, sorts, session) {
  const name = make('input', { maxlength: '200' });
  name.value = account.name;
  const zones = make(
    'datalist',
    { id: 'zones' },
    ...Intl.supportedValuesOf('timeZone').map((value) => make('option', { value })),
  );
  const zone = make('input', { list: 'zones', autocomplete: 'off' });
  zone.value = account.time_zone;
  const sort = select(Object.fromEntries(sorts.map((one) => [one, texts.sorts[one]])), account.sort);
  const save = async () => {
    const body = { name: name.value.trim(), time_zone: zone.value.trim(), sort: sort.value };
    await ask('PATCH', 'api/settings', { body });
    Object.assign(session.account, body);
    showSession(session);
    say(TEXTS.saved);
  };
  return section(
    texts.account,
    form(texts.save, save, field(texts.name, name), field(texts.zone, zone), zones, field(texts.sort, sort)),
  );
}

/**
 * Groups, locations or people as a table whose cells can be edited. Each change is saved at once.
 *
 * @param {string} title
 * @param {'groups' | 'locations' | 'people'} path
 * @param {readonly Named[]} records
 * @param {readonly ('active' | 'private' | 'address')[]} fields
 * @param {(record: Named) => Node} [action]
 */
function makeRecords(title, path, records, fields, action) {
  const titles = [texts.name, ...fields.map((name) => texts[name]), texts.shifts, ...(action ? [''] : [])];
  const rowOf = (/** @type {Named} */ record) => [
    ...['name', ...fields].map((name) => makeCell(path, record, /** @type {'name'} */ (name))),
    String(record.shifts),
    ...(action ? [action(record)] : []),
  ];
  const list = make('div', {});
  const show = (/** @type {string} */ wanted) => {
    const found = records.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()));
    const shown =
      found.length === 0 ? make('p', {}, TEXTS.none) : table(title, titles, found.slice(0, ROWS).map(rowOf));
    list.replaceChildren(shown);
    if (found.length <= ROWS) return;
    let count = ROWS;
    const rest = more(async () => {
      rest.before(table(title, titles, found.slice(count, count + ROWS).map(rowOf)));
      count += ROWS;
      return count < found.length;
    });
    list.append(rest);
  };
  show('');
  const search = make('input', { type: 'search' });
  search.addEventListener('input', () => show(search.value.trim()));
  const find_ = records.length > 20 ? [field(`${texts.find} ${title.toLowerCase()}`, search)] : [];
  return section(title, ...find_, list);
}

/**
 * @param {string} path
 * @param {Named} record
 * @param {'name' | 'active' | 'private' | 'address'} name
 */
function makeCell(path, record, name) {
  const label = { 'aria-label': `${texts[name]}: ${record.name}` };
  const value = record[name];
  const isBox = typeof value === 'boolean';
  const input = make('input', isBox ? { type: 'checkbox', ...label } : { maxlength: '500', ...label });
  const reset = () => Object.assign(input, isBox ? { checked: record[name] } : { value: record[name] ?? '' });
  reset();
  input.addEventListener('change', () => {
    hush();
    attempt(async () => {
      const given = isBox ? input.checked : input.value.trim();
      try {
        await ask('PATCH', `api/${path}/${record.id}`, { body: { [name]: given } });
        Object.assign(record, { [name]: given });
        say(TEXTS.saved);
      } finally {
        reset();
      }
    });
  });
  return input;
}

/** @param {Named} person */
function forgetButton({ id, name, shifts }) {
  const forget = button(
    texts.forget,
    async () => {
      if (!(await isSure(texts.sureToForget(name, shifts), texts.forget))) return;
      await ask('DELETE', `api/people/${id}`);
      const row = forget.closest('tr');
      const next =
        row?.nextElementSibling?.querySelector('button') ??
        row?.previousElementSibling?.querySelector('button');
      row?.remove();
      next?.focus();
      say(texts.forgotten(name));
    },
    { 'aria-description': name },
  );
  return forget;
}
