import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldName } from '@shiftfeed/common/names';
import fc from 'fast-check';
import { anyCharacter } from '../support/any-character.ts';

test('names are the same that differ in case, form or spaces only', () => {
  assert.equal(foldName('  Zoe\u0308  DE  vries'), foldName('zoë de Vries '));
  assert.notEqual(foldName('Zoë'), foldName('Zoe'));
  const anyName = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.string({
      unit: fc.constantFrom(' ', '\u00a0', '\t', 'é', 'e\u0301', 'É', 'İ', 'ß', 'Σ', 'ς', 'ǅ', 'a'),
    }),
  );
  fc.assert(
    fc.property(anyName, (name) => {
      const folded = foldName(name);
      assert.equal(foldName(` ${name.normalize('NFD')}\t`), folded);
      assert.equal(foldName(folded), folded);
    }),
  );
});
