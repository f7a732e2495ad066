/** What only owners may: tokens, settings, groups, locations, people, and who else has a key. */

import { foldName } from '@shiftfeed/common/names';
import {
  DEFAULT_KEY_EXPIRY,
  describeKey,
  issueKey,
  issueToken,
  lifeOf,
  linkOf,
} from '../feed/access/token.ts';
import { InvalidValue, readAddress, readExpiry, readName, readTimeZone } from '../import/fields.ts';
import { SORT_ORDERS } from '../listing/shift.ts';
import type { Account } from '../store/account.ts';
import type { Changes, ListedTable, Named } from '../store/admin/records.ts';
import { DESK_ROLES } from '../store/admin/tokens.ts';
import { numberIn, safeInteger } from './account-routes.ts';
import { DeskRefusal, type JsonObject, notFound, textIn } from './request.ts';
import type { DeskOptions, DeskRoutes, Visit } from './route.ts';

const MAX_LABEL_CHARACTERS = 200;

export function ownerRoutes(options: DeskOptions): DeskRoutes {
  return {
    ...tokenRoutes(options),
    ...settingsRoutes(options),
    ...recordRoutes(options),
    ...keyRoutes(options),
  };
}

function tokenRoutes({ database, nowMs }: DeskOptions): DeskRoutes {
  return {
    async 'GET tokens'({ session: { account } }) {
      if (account === undefined) return { premium: false, tokens: [] };
      const tokens = await (await database.store()).tokens(account.id);
      return {
        premium: account.premium,
        tokens: tokens.map((token) => ({
          id: token.id,
          hint: token.hint,
          label: token.label,
          ...lifeOf(token, account.premium, nowMs()),
        })),
      };
    },

    async 'POST tokens'(visit) {
      const { body } = visit;
      const account = accountOf(visit);
      const label = textIn(body, 'label') ?? '';
      if ([...label].length > MAX_LABEL_CHARACTERS)
        throw new DeskRefusal(400, `A label has at most ${MAX_LABEL_CHARACTERS} characters.`);
      const expiresAtMs = expiryIn(body, '', account, nowMs());
      const store = await database.store();
      const { text, token } = await issueToken(store, account, label, expiresAtMs, nowMs());
      return { id: token.id, token: text };
    },

    async 'DELETE tokens/:id'(visit) {
      const store = await database.store();
      const own = await store.tokens(accountOf(visit).id);
      if (!own.some(({ id }) => String(id) === visit.id)) throw notFound();
      await store.revokeToken(Number(visit.id), nowMs());
      return undefined;
    },
  };
}

function settingsRoutes({ database }: DeskOptions): DeskRoutes {
  return {
    'GET settings'(visit) {
      const { slug, name, timeZone, sort, premium } = accountOf(visit);
      return { account: { slug, name, time_zone: timeZone, sort, premium }, sorts: SORT_ORDERS };
    },

    async 'PATCH settings'(visit) {
      const given = settingsIn(visit.body);
      const { id, slug } = accountOf(visit);
      await (await database.store()).write(async (transaction) => {
        const before = await transaction.lockAccount(slug);
        // Another account may have that name since this one was looked up.
        if (before?.id !== id) throw new DeskRefusal(409, 'The account has got another name: try again.');
        await transaction.saveAccount({ ...before, ...given });
        return true;
      });
      return undefined;
    },
  };
}

function recordRoutes({ database }: DeskOptions): DeskRoutes {
  return {
    ...recordRoutesOf(database, 'groups', (body) => ({
      ...nameIn(body),
      ...flagIn(body, 'active'),
      ...flagIn(body, 'private'),
    })),
    ...recordRoutesOf(database, 'locations', (body) => {
      const address = textIn(body, 'address');
      return {
        ...nameIn(body),
        ...(address !== undefined && { address: valid(() => readAddress(address)) }),
      };
    }),
    ...recordRoutesOf(database, 'people', nameIn),

    async 'DELETE people/:id'(visit) {
      const removal = await (await database.store()).remove('people', accountOf(visit).id, idOf(visit));
      if (removal === undefined) throw notFound();
      return undefined;
    },
  };
}

function recordRoutesOf<T extends ListedTable>(
  database: DeskOptions['database'],
  table: T,
  changesIn: (body: JsonObject) => Changes<T>,
): DeskRoutes {
  return {
    async [`GET ${table}`](visit: Visit) {
      const after = numberIn(visit.query, 'after', Number.MAX_SAFE_INTEGER, 0);
      return (await database.store()).slice(table, accountOf(visit).id, after);
    },

    async [`PATCH ${table}/:id`](visit: Visit) {
      const changes = changesIn(visit.body);
      const { id: accountId } = accountOf(visit);
      const id = idOf(visit);
      const check = table === 'people' ? (names: Names) => checkNewName(names, id, changes) : undefined;
      const record = await (await database.store()).change(table, accountId, id, changes, check);
      if (record === undefined) throw notFound();
      return undefined;
    },
  };
}

type Names = AsyncIterable<readonly Named[]>;

/** Two people of one name would share one personal link. */
async function checkNewName(
  names: Names,
  id: number,
  { name = '' }: { readonly name?: string },
): Promise<void> {
  const wanted = foldName(name);
  for await (const people of names)
    for (const other of people)
      if (other.id !== id && foldName(other.name) === wanted)
        throw new DeskRefusal(409, `There is somebody named ${name} already: give another name.`);
}

function keyRoutes({ database, urlOf, nowMs }: DeskOptions): DeskRoutes {
  return {
    async 'GET keys'({ session: { account } }) {
      const keys = account === undefined ? [] : await (await database.store()).deskKeys(account.id);
      return { keys: keys.map((key) => describeKey(key, nowMs())) };
    },

    async 'POST keys'(visit) {
      const { body } = visit;
      const account = accountOf(visit);
      const label = valid(() => readName(textIn(body, 'name') ?? ''));
      const role = DESK_ROLES.find((one) => one === (body.role ?? 'planner'));
      if (role === undefined) throw new DeskRefusal(400, `role has to be ${DESK_ROLES.join(' or ')}.`);
      const expiresAtMs = expiryIn(body, DEFAULT_KEY_EXPIRY, account, nowMs());
      const given = { accountId: account.id, label, role, expiresAtMs };
      const key = await issueKey(await database.store(), given, nowMs());
      if (key === undefined) throw new DeskRefusal(409, `${label} has a key already: revoke it first.`);
      return { link: linkOf(urlOf(), key) };
    },

    async 'DELETE keys/:id'(visit) {
      const store = await database.store();
      const revoked = await store.revokeDeskKeys(accountOf(visit).id, { id: idOf(visit) }, nowMs());
      if (revoked === 0) throw notFound();
      return undefined;
    },
  };
}

function accountOf({ session: { account, slug } }: Visit): Account {
  if (account !== undefined) return account;
  throw new DeskRefusal(409, `There is no account ${slug} yet: the first import makes it.`);
}

function idOf({ id }: Visit): number {
  const number = safeInteger(id);
  if (number === undefined) throw notFound();
  return number;
}

function settingsIn(body: JsonObject): Partial<Pick<Account, 'name' | 'timeZone' | 'sort'>> {
  const timeZone = textIn(body, 'time_zone');
  const sort = SORT_ORDERS.find((order) => order === body.sort);
  if (body.sort !== undefined && sort === undefined)
    throw new DeskRefusal(400, `sort has to be one of ${SORT_ORDERS.join(', ')}.`);
  return {
    ...nameIn(body),
    ...(timeZone !== undefined && { timeZone: valid(() => readTimeZone(timeZone)) }),
    ...(sort && { sort }),
  };
}

function nameIn(body: JsonObject): { readonly name?: string } {
  const name = textIn(body, 'name');
  return name === undefined ? {} : { name: valid(() => readName(name)) };
}

function flagIn(body: JsonObject, name: 'active' | 'private'): Partial<Record<typeof name, boolean>> {
  const value = body[name];
  if (value === undefined) return {};
  if (typeof value !== 'boolean') throw new DeskRefusal(400, `${name} has to be true or false.`);
  return { [name]: value };
}

/** null: never. */
function expiryIn(body: JsonObject, unlessGiven: string, account: Account, nowMs: number): number | null {
  const text = textIn(body, 'expires') || unlessGiven;
  return text === '' ? null : valid(() => readExpiry(text)(account, nowMs));
}

function valid<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof InvalidValue ? new DeskRefusal(400, error.message) : error;
  }
}
