import { quote } from '../../quote.ts';
import type { Listed, ListedTable } from '../../store/admin/records.ts';
import type { Store } from '../../store/store.ts';
import { Failure } from '../failure.ts';
import { needAccount } from '../options.ts';
import type { Kind } from './kind.ts';

export const ID_OR_NAME = 'id-or-name';

export interface Found<T extends ListedTable> {
  readonly accountId: number;
  readonly record: Listed<T>;
}

/** The record of an account with this id or, if there is none, the only one with this name. */
export async function findRecord<T extends ListedTable>(
  store: Store,
  kind: Kind<T>,
  slug: string,
  idOrName: string,
): Promise<Found<T>> {
  const { id: accountId } = await needAccount(store, slug);
  const records = await store.list(kind.table, accountId);
  const byId = records.find(({ id }) => String(id) === idOrName);
  if (byId !== undefined) return { accountId, record: byId };
  const [record, ...others] = records.filter(({ name }) => name === idOrName);
  if (record === undefined) throw unknownRecord(kind, slug, idOrName);
  if (others.length > 0) {
    const ids = [record, ...others].map(({ id }) => id).join(', ');
    throw new Failure(
      `${slug} has ${others.length + 1} ${kind.table} named ${quote(idOrName)}: give the id of one, ${ids}.`,
    );
  }
  return { accountId, record };
}

export function unknownRecord(kind: Kind<ListedTable>, slug: string, idOrName: string): Failure {
  const shown = /^\d+$/.test(idOrName) ? idOrName : quote(idOrName);
  return new Failure(
    `${slug} has no ${kind.noun} ${shown}: "shiftfeed ${kind.noun} list ${slug}" shows the ids.`,
  );
}
