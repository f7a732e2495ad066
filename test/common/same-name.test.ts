import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldName } from '@shiftfeed/common/same-name';
import fc from 'fast-check';
import { anyCharacter } from '../support/any-character.ts';

test('names are the same whatever their case, Unicode form and spaces', () => {
  const anyName = fc.string({ unit: anyCharacter });
  fc.assert(
    fc.property(anyName, (name) => assert.equal(foldName(` ${name.normalize('NFD')} `), foldName(name))),
  );
  assert.equal(foldName('  Zoe\u0308  DE  vries'), foldName('zoë de Vries '));
});
