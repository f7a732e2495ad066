import type { ShiftRecord, Table } from '../store/records.ts';

/** Takes a sentence about what the text leaves out, or about what an import of it would refuse. */
export type NoticeTeller = (sentence: string) => void;

export interface References {
  /** Takes records that shifts may refer to. */
  add(table: Exclude<Table, 'shifts'>, records: readonly { readonly id: number }[]): void;
  check(shifts: readonly ShiftRecord[]): void;
  /** Reports what was found. */
  end(): void;
}

/**
 * Finds shifts that refer to what is not there: SQLite lets a program write such shifts, and an import refuses them.
 */
export function makeReferences(tell: NoticeTeller): References {
  const known = { groups: new Set<number>(), locations: new Set<number>(), people: new Set<number>() };
  let loose = 0;
  let firstId: number | undefined;

  function isLoose({ group_id, location_id, person_id }: ShiftRecord): boolean {
    return (
      !known.groups.has(group_id) ||
      (location_id !== null && !known.locations.has(location_id)) ||
      (person_id !== null && !known.people.has(person_id))
    );
  }

  return {
    add(table, records) {
      for (const { id } of records) known[table].add(id);
    },

    check(shifts) {
      for (const shift of shifts) {
        if (!isLoose(shift)) continue;
        loose++;
        firstId ??= shift.id;
      }
    },

    end() {
      if (loose === 0) return;
      const shifts =
        loose === 1 ? `Shift ${firstId} refers` : `${loose} shifts, the first is ${firstId}, refer`;
      tell(
        `${shifts} to a group, location or person that is not there, and an import would refuse that: ` +
          '"shiftfeed doctor" tells more.',
      );
    },
  };
}
