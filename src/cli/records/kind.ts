import type { Listed, ListedTable } from '../../store/admin/records.ts';

/** What the commands need to know of groups, of locations or of people. */
export interface Kind<T extends ListedTable> {
  readonly table: T;
  /** What one of them is called, which is also the name of its command. */
  readonly noun: string;
  /** What shifts are called after one of them was removed. undefined: shifts cannot be without one. */
  readonly withoutIt: string | undefined;
  /** The cells of a list between the id and the number of shifts, by their headings. */
  cellsOf(record: Listed<T>): Readonly<Record<string, string>>;
}

export const GROUPS: Kind<'groups'> = {
  table: 'groups',
  noun: 'group',
  withoutIt: undefined,
  cellsOf: ({ name, active, private: isPrivate }) => ({
    NAME: name,
    ACTIVE: active ? 'yes' : 'no',
    PRIVATE: isPrivate ? 'yes' : 'no',
  }),
};

export const LOCATIONS: Kind<'locations'> = {
  table: 'locations',
  noun: 'location',
  withoutIt: 'without a location',
  cellsOf: ({ name, address }) => ({ NAME: name, ADDRESS: address }),
};

export const PEOPLE: Kind<'people'> = {
  table: 'people',
  noun: 'person',
  withoutIt: 'open',
  cellsOf: ({ name }) => ({ NAME: name }),
};
