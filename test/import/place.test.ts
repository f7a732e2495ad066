import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  describePlace,
  MAX_SHEET,
  MAX_SHIFTS_IN_CELL,
  placeAt,
  placeInSheet,
  positionOf,
  type SheetPlace,
} from '../../sheets/src/problem.ts';

const line = fc.integer({ min: 1, max: 1_048_576 });
const sheet = fc.option(fc.integer({ min: 1, max: MAX_SHEET }), { nil: undefined });
const cell = {
  column: fc.integer({ min: 0, max: 16_383 }),
  nth: fc.integer({ min: 0, max: MAX_SHIFTS_IN_CELL - 1 }),
};
const anyPlace: fc.Arbitrary<SheetPlace> = fc.oneof(
  fc.record({ sheet, line }),
  fc.record({ sheet, line, ...cell }),
);

test('a place in a sheet is the same after it was a position on the stage', () => {
  fc.assert(fc.property(anyPlace, (place) => assert.deepEqual(placeAt(positionOf(place)), { ...place })));
});

test('the first line has the position 0', () => {
  assert.equal(positionOf({ line: 1 }), 0);
});

const TOLD: readonly [SheetPlace, string | undefined, string][] = [
  [{ line: 14 }, undefined, 'line 14'],
  [{ line: 14 }, 'end_time', 'line 14, end_time'],
  [{ line: 14 }, 'Ende!', 'line 14, "Ende!"'],
  [{ line: 14, column: 27 }, undefined, 'cell AB14'],
  [{ line: 14, column: 2, nth: 1 }, 'times', 'cell C14'],
  [{ sheet: 2, line: 14, column: 2 }, 'person', 'sheet 2, cell C14, person'],
];
for (const [place, name, told] of TOLD) {
  test(`a place is told as ${told}`, () => {
    assert.equal(describePlace(placeInSheet(place, name)), told);
  });
}
