/** Characters for random texts. Those of fast-check (`unit: 'binary'`) take each process two seconds to set up. */

import fc from 'fast-check';

const SURROGATES = { first: 0xd800, count: 0x800 };
const LAST = 0x10ffff;

/** Any character of Unicode. */
export const anyCharacter = fc
  .integer({ min: 0, max: LAST - SURROGATES.count })
  .map((code) => String.fromCodePoint(code < SURROGATES.first ? code : code + SURROGATES.count));

/** What readers take for one character, made of one or several. */
export const anyGrapheme = fc.oneof(
  anyCharacter,
  fc.constantFrom('e\u0301', '👩‍🚀', '🇳🇱', '👍🏽', 'क्षि', '한', '\r\n'),
);
