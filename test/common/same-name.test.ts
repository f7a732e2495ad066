import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldName } from '@shiftfeed/common/same-name';
import fc from 'fast-check';
import { fold } from '../../src/import/sheet/fold.ts';
import { anyCharacter } from '../support/any-character.ts';

test('names are the same for personal links as for an import', () => {
  const anyName = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.string({
      unit: fc.constantFrom(' ', '\u00a0', '\t', 'é', 'e\u0301', 'É', 'İ', 'ß', 'Σ', 'ς', 'ǅ', 'a'),
    }),
  );
  fc.assert(fc.property(anyName, (name) => assert.equal(foldName(name), fold(name))));
  assert.equal(foldName('  Zoe\u0308  DE  vries'), foldName('zoë de Vries '));
});
