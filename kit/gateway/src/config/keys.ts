/** Reads an object key by key, and reports keys that nobody has asked for. */

import { quote } from '@shiftfeed/common/quote';
import type { ConfigProblem } from './problems.ts';

/** Reads a value, and reports what is wrong with it. */
export type Read<T> = (value: unknown, place: string, problems: ConfigProblem[]) => T;

export interface ObjectReader {
  take<T>(key: string, read: Read<T>): T | undefined;
  takeOptional<T>(key: string, read: Read<T>): T | undefined;
  ignore(key: string): void;
  /** Reports the keys that were not read. */
  refuseOthers(): void;
}

export function readObject(value: unknown, place: string, problems: ConfigProblem[]): ObjectReader {
  const object = isObject(value) ? value : undefined;
  if (object === undefined) problems.push({ place, message: `expected an object, not ${quote(value)}.` });
  const known = new Set<string>();
  const inside = (key: string) => (place === '' ? key : `${place}.${key}`);
  const takeOptional: ObjectReader['takeOptional'] = (key, read) => {
    known.add(key);
    return object !== undefined && Object.hasOwn(object, key)
      ? read(object[key], inside(key), problems)
      : undefined;
  };
  return {
    takeOptional,
    take(key, read) {
      if (object !== undefined && !Object.hasOwn(object, key)) {
        problems.push({ place: inside(key), message: 'this is missing.' });
      }
      return takeOptional(key, read);
    },
    ignore(key) {
      known.add(key);
    },
    refuseOthers() {
      for (const key of Object.keys(object ?? {})) {
        if (!known.has(key))
          problems.push({ place: inside(shownKey(key)), message: describeUnknown(key, known) });
      }
    },
  };
}

/** Never quotes a value, because it may be a secret. */
function describeUnknown(key: string, known: ReadonlySet<string>): string {
  if (/token/i.test(key)) {
    return 'the token does not belong here: use the environment variable SHIFTFEED_TOKEN, or "token_file".';
  }
  if (/secret/i.test(key)) return 'the secret does not belong here: write it into the "links_secret_file".';
  return `there is no such key. Expected one of ${[...known].map((name) => `"${name}"`).join(', ')}.`;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const MAX_SHOWN_LENGTH = 40;

export function shownKey(key: string): string {
  return /^[\w$-]+$/.test(key) && key.length <= MAX_SHOWN_LENGTH ? key : quote(key);
}
