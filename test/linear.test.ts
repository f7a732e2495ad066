/**
 * Reading takes time in proportion to what is read, a file or a request, because nothing that looks at its text can go
 * back and forth in it.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';

const ROOT = join(import.meta.dirname, '..');
const FILES = [
  'src/{import,feed,gateway}/**/*.ts',
  'src/http/{encoding,limits,listing,observe,protocol}/*.ts',
  'src/{http,desk}/*.ts',
  '{sheets,common,kit/gateway,kit/client}/src/**/*.ts',
];

const OWN = 'it is for settings of those who run it, or for a number';
const APART = 'it is tried at one place only, and what is repeated ends where the next part begins';

/** Expressions that are linear for another reason than the one that `isLinear` knows, or that no stranger reaches. */
const LINEAR: Readonly<Record<string, string>> = {
  '<(?:table:table|style:style|style:table-properties)(?:\\s[^<>]*)?>':
    'it begins with <, and what is repeated ends before the next one',
  '(?:true|false|null|-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?)(?![\\w.+-])':
    'it is tried at one place only, and between two repeats there is a character that neither matches',
  '(?:[^"\\\\\\u0000-\\u001f]|\\\\(?:["\\\\/bfnrt]|u[0-9a-fA-F]{4}))*':
    'it is tried at one place only, and its two ways begin with different characters',
  '"(?:[^"\\\\]|\\\\.)*"?|\\b(?:(?:start|end)_time|(?:end|publish)_date|(?:first|last)_name)\\b':
    'whatever follows a quotation mark matches, to the next one or to the end',
  '^(?:[\\w.+-]*|\\\\\\w*)$':
    'it is tried at one place only, and its two ways begin with different characters',
  '\\/+$': OWN,
  '^\\/$|\\/api\\/v1\\/shifts\\/*$': OWN,
  '^(?=.{1,253}$)[a-z\\d]([a-z\\d-]{0,61}[a-z\\d])?(\\.[a-z\\d]([a-z\\d-]{0,61}[a-z\\d])?)*$': OWN,
  '^[a-z]{2}(-[a-z\\d]{2,8})*$': OWN,
  '\\B(?=(?:\\d{3})+$)': OWN,
  '\\{(\\w+)\\}': OWN,
  '^VmRSS:\\s+(\\d+) kB$': OWN,
  '^\\/([^/]+)\\/me\\/([^/]+)(|\\/shifts|\\/shifts\\.ics)$': APART,
  '^Bearer +(\\S+) *$': APART,
  '^ *[1-9]\\d{3}-\\d\\d-\\d\\d *$': APART,
  '^([^[]*)((?:\\[\\d*\\])?)$': APART,
  '^[\\w.-]+(?::\\d+)?$|^\\[[\\da-f:.]+\\](?::\\d+)?$': APART,
  '(?:^|,) *server-timing *(?:[,;]|$)':
    'it begins with a comma, and what is repeated ends before the next one',
  '"[^"]*"': 'what follows a quotation mark matches, to the next one; only the last may have none',
};

describe('regular expressions that strangers reach', () => {
  test('take time in proportion to the text', async () => {
    const found: string[] = [];
    for await (const file of glob(FILES, { cwd: ROOT })) {
      for (const expression of expressionsIn(readFileSync(join(ROOT, file), 'utf8'))) {
        if (!isLinear(expression) && !(expression in LINEAR)) found.push(`${file}: ${expression}`);
      }
    }
    assert.deepEqual(found, []);
  });

  test('are written out, or made of words when their module is loaded, so that the rule sees them', async () => {
    const found: string[] = [];
    const made: string[] = [];
    for await (const file of glob(FILES, { cwd: ROOT })) {
      const count = readFileSync(join(ROOT, file), 'utf8').split('new RegExp(').length - 1;
      if (count === 0) continue;
      const expressions = await madeBy(pathToFileURL(join(ROOT, file)));
      if (expressions.length < count) made.push(`${file}: ${count - expressions.length}`);
      found.push(...expressions.filter((expression) => !isLinear(expression)));
    }
    assert.deepEqual(found, []);
    // They match a cell that was found to be short.
    assert.deepEqual(made, ['sheets/src/words/date.ts: 2']);
  });

  for (const [expression, expected] of [
    ['^[a-z]+$', true],
    ['\\s+', true],
    ['a{1,20}b{0,30}', true],
    ['(\\p{L}[\\p{L}\\p{M}]*)|(\\d+)', true],
    ['[\\d.]+$', false],
    ['\\s*;', false],
    ['^\\d*\\d*$', false],
    ['^(?:ab)+$', false],
    ['a{1,1000}', false],
    ['[+*]', true],
  ] as const)
    test(`${expression} ${expected ? 'does' : 'may not'}`, () => {
      assert.equal(isLinear(expression), expected);
    });
});

const MAX_REPEATS = 255;

/**
 * Whether an expression repeats nothing without a limit, or only one character, at the end of the expression or in one
 * that is tried at the start of the text only.
 */
function isLinear(expression: string): boolean {
  return alternativesOf(expression).every((alternative) => {
    // Classes, escapes and other characters all count as one.
    const plain = alternative.replaceAll(/\[(?:\\.|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\./g, 'x');
    const limits = [...plain.matchAll(/\{\d+,(\d+)\}/g)].map(([, most]) => Number(most));
    if (limits.some((most) => most > MAX_REPEATS)) return false;
    const bare = plain.replaceAll(/\{\d+(?:,\d+)?\}/g, '').replaceAll('(?', '(');
    const endless = [...bare.matchAll(/[*+]|\{\d+,\}/g)];
    if (endless.length === 0) return true;
    const [{ index, 0: repeat } = { index: 0, 0: '' }] = endless;
    if (endless.length > 1 || bare[index - 1] === ')') return false;
    return bare.startsWith('^') || /^[?)]*$/.test(bare.slice(index + repeat.length));
  });
}

/** `a` and `b` of `a|b` or `(a)|(b)`. */
function alternativesOf(expression: string): string[] {
  const alternatives = [''];
  let depth = 0;
  for (const [token] of expression.matchAll(/\[(?:\\.|[^\]\\])*\]|\\.|./gs)) {
    if (token === '(') depth++;
    if (token === ')') depth--;
    if (token === '|' && depth === 0) alternatives.push('');
    else alternatives[alternatives.length - 1] += token;
  }
  return alternatives;
}

/** The expressions that a module makes when it is loaded. It is loaded once more. */
async function madeBy(module: URL): Promise<readonly string[]> {
  const sources: string[] = [];
  const Original = globalThis.RegExp;
  globalThis.RegExp = new Proxy(Original, {
    construct(target, args: [string, string?]) {
      sources.push(args[0]);
      return new target(...args);
    },
  });
  try {
    await import(`${module.href}?again`);
  } finally {
    globalThis.RegExp = Original;
  }
  return sources;
}

/** The literals in a source, without those in its comments. */
function expressionsIn(source: string): string[] {
  const code = source.replaceAll(/^\s*\/\*\*.*?\*\/$/gms, '').replaceAll(/^\s*\/\/.*$/gm, '');
  const literal =
    /(?<=[=(,:?&|![\s])\/(?![/*\s])((?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n[])+)\/[dgimsuvy]*(?=[.,;)\s])/g;
  return [...code.matchAll(literal)].map(([, expression = '']) => expression);
}
