import { StoreFailure } from '../failure.ts';

/** Host and database, for sentences: never the password. */
export function describePlace(url: string): string {
  try {
    const { host, pathname } = new URL(url);
    return `${host}${pathname}`;
  } catch {
    throw new StoreFailure(
      'bad-url',
      'The database URL is not valid: expected postgres://USER:PASSWORD@HOST/DATABASE.',
    );
  }
}
