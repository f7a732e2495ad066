/** Tells which control a sentence of the API is about. Its errors name the parameters that are wrong, one after the other. */

const PARAMETERS = [
  'group_ids',
  'months',
  'years',
  'weeks',
  'days',
  'location_ids',
  'day',
  'date_from',
  'date_to',
  'published',
  'page',
  'per_page',
];

/** A sentence ends at a full stop before a space, unless that is part of a value in quotation marks. */
const SENTENCE = /(?:"(?:[^"\\]|\\.)*"|[^".]|\.(?! |$))+\./g;

/**
 * The sentences of an error by the control that each is about: a parameter, `account` or `token`. What is about none of them is left out.
 *
 * @param {number} status
 * @param {string} error
 * @returns {Map<string, string>}
 */
export function problemsByControl(status, error) {
  if (status === 401) return new Map([['token', error]]);
  if (status === 404) return new Map([['account', error]]);
  /** @type {Map<string, string>} */
  const problems = new Map();
  if (status !== 400) return problems;
  for (const part of error.match(SENTENCE) ?? []) {
    const sentence = part.trim();
    const name = PARAMETERS.find((parameter) => sentence.startsWith(`${parameter} `));
    if (name === undefined) continue;
    const earlier = problems.get(name);
    problems.set(name, earlier === undefined ? sentence : `${earlier} ${sentence}`);
  }
  return problems;
}
