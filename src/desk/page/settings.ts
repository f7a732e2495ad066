/** The settings of the account, its groups, locations and people, and who may open this desk. For owners. */

import { ask, type Session } from './ask.ts';
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
  selectZone,
  showSession,
  table,
} from './controls.ts';
import { make } from './dom.ts';
import { makeInvitations } from './secrets.ts';
import { TEXTS } from './texts.ts';

export type Account = { slug: string; name: string; time_zone: string; sort: 'time' | 'group' };
export type Named = {
  id: number;
  name: string;
  shifts: number;
  active?: boolean;
  private?: boolean;
  address?: string;
};
export type Settings = { account: Account; sorts: readonly ('time' | 'group')[] };
export type Slice = { records: readonly Named[]; next?: number };

/** More than that are looked for by name, or shown on demand. */
const ROWS = 100;
const { settings: texts } = TEXTS;

export async function openSettings(panel: HTMLElement, session: Session) {
  const { account, sorts }: Settings = await ask('GET', 'api/settings');
  panel.replaceChildren(
    makeAccount(account, sorts, session),
    await makeInvitations(session),
    makeRecords(texts.groups, 'groups', await readAll('groups'), ['active', 'private']),
    makeRecords(texts.locations, 'locations', await readAll('locations'), ['address']),
    makeRecords(texts.people, 'people', await readAll('people'), [], forgetButton),
  );
}

async function readAll(path: 'groups' | 'locations' | 'people'): Promise<readonly Named[]> {
  const all: Named[] = [];
  for (let after: number | undefined = 0; after !== undefined; ) {
    const { records, next }: Slice = await ask('GET', `api/${path}?after=${after}`);
    all.push(...records);
    after = next;
  }
  return all;
}

function makeAccount(account: Account, sorts: Settings['sorts'], session: Session) {
  const name = make('input', { maxlength: '200' });
  name.value = account.name;
  const zone = selectZone(account.time_zone);
  const sort = select(
    sorts.map((one) => [one, texts.sorts[one]]),
    account.sort,
  );
  const save = async () => {
    const body = { name: name.value.trim(), time_zone: zone.value, sort: sort.value };
    await ask('PATCH', 'api/settings', { body });
    Object.assign(session.account, body);
    showSession(session);
    say(TEXTS.saved);
  };
  return section(
    texts.account,
    form(texts.save, save, field(texts.name, name), field(texts.zone, zone), field(texts.sort, sort)),
  );
}

/** Groups, locations or people as a table whose cells can be edited. Each change is saved at once. */
function makeRecords(
  title: string,
  path: 'groups' | 'locations' | 'people',
  records: readonly Named[],
  fields: readonly ('active' | 'private' | 'address')[],
  action?: (record: Named) => Node,
) {
  const titles = [texts.name, ...fields.map((name) => texts[name]), texts.shifts, ...(action ? [''] : [])];
  const rowOf = (record: Named) => [
    ...['name', ...fields].map((name) => makeCell(path, record, name as 'name')),
    texts.countOf(record.shifts),
    ...(action ? [action(record)] : []),
  ];
  const list = make('div', {});
  const show = (wanted: string) => {
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

function makeCell(path: string, record: Named, name: 'name' | 'active' | 'private' | 'address') {
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

function forgetButton({ id, name, shifts }: Named) {
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
