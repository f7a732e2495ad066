/** What the torture, or building it, has found so far. Each was mended, and its like is kept as a test. */

export interface Finding {
  /** The name of the part that found it. */
  readonly part: string;
  readonly what: string;
  /** The file that would notice if it came back. */
  readonly test: string;
}

export const FOUND: readonly Finding[] = [
  {
    part: 'simulation',
    what: 'Two accounts that swapped names and swapped them back, while requests waited, could be listed as empty until the next change.',
    test: 'test/feed/snapshots.test.ts',
  },
  {
    part: 'simulation',
    what: 'A replica that lagged once was remembered after it had caught up, so that a later lag of any replica was believed at once.',
    test: 'test/feed/snapshots.test.ts',
  },
  {
    part: 'simulation',
    what: 'With --stale-if-error, an account was listed under its old name while the database was away, also when that name was known to be of another account by then.',
    test: 'test/feed/database-loss.test.ts',
  },
  {
    part: 'simulation',
    what: 'With --stale-if-error, an account was listed under its old name while the database was away, also when it had been seen under its new name since.',
    test: 'test/feed/database-loss.test.ts',
  },
  {
    part: 'simulation',
    what: 'With --stale-if-error, a state that a slow load brought was told as current while the database was away, also when its changes had been lost meanwhile.',
    test: 'test/feed/snapshots.test.ts',
  },
  {
    part: 'isolation',
    what: 'After two accounts had swapped their names, each saw the files that the other one had dropped on the desk within the last hour.',
    test: 'test/desk/access.test.ts',
  },
  {
    part: 'hostile',
    what: 'An object where the desk expected a number or a text, or an undo while too many files waited, was answered 500.',
    test: 'test/desk/hostile.test.ts',
  },
  {
    part: 'hostile',
    what: 'One account that uploaded slowly kept all others from uploading to the desk.',
    test: 'test/desk/hostile.test.ts',
  },
  {
    part: 'hostile',
    what: 'A key of the desk that was revoked while the body of a request arrived still did what the request asked for.',
    test: 'test/desk/hostile.test.ts',
  },
  {
    part: 'hostile',
    what: 'Whatever the desk wrote while an import held the lock of SQLite kept the whole desk waiting, for up to 15 seconds.',
    test: 'test/store/sqlite.test.ts',
  },
  {
    part: 'hostile',
    what: 'A client that half-closed its connection after its requests often got no answer.',
    test: 'test/cli/rude-clients.test.ts',
  },
  {
    part: 'hostile',
    what: 'Answers could be lost when the client went on sending after headers that were too large.',
    test: 'test/cli/rude-clients.test.ts',
  },
  {
    part: 'hostile',
    what: 'Answers could be lost when the client went on sending after a request to close the connection.',
    test: 'test/cli/rude-clients.test.ts',
  },
  {
    part: 'overload',
    what: 'A crowd that asked for nothing but /healthz made everybody wait for seconds, because health checks took no turns.',
    test: 'test/http/overload.test.ts',
  },
  {
    part: 'overload',
    what: 'When 10,000 requests waited, all further ones were refused, whoever had sent them: a client that sent that many ahead shut everybody out.',
    test: 'test/http/connections.test.ts',
  },
  {
    part: 'overload',
    what: '10,000 idle connections of one address kept every newcomer out.',
    test: 'test/http/connections.test.ts',
  },
  {
    part: 'overload',
    what: 'A live token that had not been used while 2,000 made-up ones came waited for its turn with everybody at its address.',
    test: 'test/http/overload.test.ts',
  },
];
