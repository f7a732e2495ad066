/** Turns errors of PostgreSQL, its driver and the network into sentences for the operator. */

import { DatabaseError } from 'pg';
import { StoreFailure } from '../failure.ts';

/** Returns errors that are not about the database unchanged. */
export function explain(name: string, error: unknown): unknown {
  if (error instanceof DatabaseError) {
    const [, kind, sentence] = SENTENCES.find(([code]) => error.code?.startsWith(code)) ?? [];
    if (kind === undefined || sentence === undefined) return error;
    return new StoreFailure(kind, sentence(name, error.message), { cause: error });
  }
  return isConnectionError(error) ? explainConnecting(name, error) : error;
}

/** By SQLSTATE, or the first characters of it: https://www.postgresql.org/docs/current/errcodes-appendix.html */
const SENTENCES: readonly (readonly [
  string,
  StoreFailure['kind'],
  (name: string, message: string) => string,
])[] = [
  ['22', 'refused', (_, message) => `The database refused a value: ${message}.`],
  ['23', 'refused', (_, message) => `The database refused a row: ${message}.`],
  ['25006', 'unusable', (name) => `The database ${name} can only be read.`],
  // The server does not tell which, so that nobody can find out who its users are.
  [
    '28P01',
    'locked-out',
    (name) => `The database ${name} refused the password, or there is no such user: check the URL.`,
  ],
  ['28', 'locked-out', (name, message) => `The database ${name} does not let this user in: ${message}.`],
  [
    '40',
    'busy',
    (name) => `The database ${name} was changed by somebody else at the same moment: try again.`,
  ],
  ['3D', 'unusable', (name) => `There is no database at ${name}: create it first.`],
  ['42501', 'unusable', (name, message) => `This user lacks a permission on ${name}: ${message}.`],
  ['55P03', 'busy', (name) => `Another program holds a lock in the database ${name}: try again in a moment.`],
  ['53100', 'unusable', (name) => `The disk of the database ${name} is full: nothing was written.`],
  ['57014', 'busy', (name) => `The database ${name} took too long to answer.`],
  ['', 'unavailable', (name, message) => `The database ${name} cannot be used at the moment: ${message}.`],
];

/** Whether an error means that the server is gone, or about to go. */
export function isServerLost(error: unknown): boolean {
  return error instanceof DatabaseError ? error.code?.startsWith('57P') === true : isConnectionError(error);
}

/** pg gives these errors no code, only a message. */
const CONNECTION_TROUBLE =
  /timeout|terminated|connection|socket|ECONN|ENOTFOUND|EHOSTUNREACH|EPIPE|EAI_AGAIN/i;

function isConnectionError(error: unknown): error is Error {
  if (error instanceof DatabaseError || error instanceof StoreFailure) return false;
  if (!(error instanceof Error)) return false;
  return 'syscall' in error || (isNobodysOwn(error) && CONNECTION_TROUBLE.test(error.message));
}

/** Errors of our own are never taken for trouble with the connection, whatever their words. */
function isNobodysOwn(error: Error): boolean {
  return [Error.prototype, AggregateError.prototype].includes(Object.getPrototypeOf(error));
}

/** For an error while connecting. */
export function explainFailure(name: string, error: Error): unknown {
  if (!(error instanceof DatabaseError)) return explainConnecting(name, error);
  if (error.message.includes('pg_hba.conf'))
    return new StoreFailure(
      'unavailable',
      `The database ${name} does not let this user in from here until its administrator allows it: ${error.message}.`,
    );
  if (error.code === '42501')
    return new StoreFailure('locked-out', `This user lacks a permission on ${name}: ${error.message}.`);
  // Nothing else was asked of the server yet.
  if (/^(22|42|55P02)/.test(error.code ?? ''))
    return new StoreFailure(
      'unusable',
      `The database ${name} refuses what options= of the URL says: ${error.message}.`,
    );
  return explain(name, error);
}

/**
 * Reports only the code of a system error. The error is not attached as a cause either, which would be logged: its
 * message repeats parts of the URL.
 */
function explainConnecting(name: string, error: Error): StoreFailure {
  if (isAllInUse(error))
    return new StoreFailure('busy', `All connections to the database ${name} are in use: try again.`);
  if (lacksPassword(error))
    return new StoreFailure('locked-out', `The database ${name} asks for a password, and the URL has none.`);
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  if (syscall === 'open') {
    return new StoreFailure(
      'locked-out',
      `A certificate or key that the URL of the database ${name} names cannot be read (${code}).`,
    );
  }
  const kind = code in CERTIFICATE_REASONS ? 'locked-out' : 'unavailable';
  return new StoreFailure(kind, `The database ${name} cannot be reached: ${reasonOf(error)}.`);
}

/** Why a host cannot be used, in a few words that repeat nothing of the URL. */
export function reasonOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  if (error.message === NO_ANSWER) return 'it does not answer';
  if (error.message === NO_TLS) return 'it offers no TLS, which the URL asks for';
  if (lacksPassword(error)) return 'it asks for a password, and the URL has none';
  if (code === undefined || error instanceof DatabaseError) return error.message;
  return REASONS[code] ?? CERTIFICATE_REASONS[code] ?? code;
}

/** The message of the pool when no connection became free in time. */
const ALL_IN_USE = 'timeout exceeded when trying to connect';

export function isAllInUse(error: unknown): boolean {
  return error instanceof Error && error.message === ALL_IN_USE;
}

/** The driver finds this out itself, and its message is about the protocol. */
function lacksPassword({ message }: Error): boolean {
  return /^SASL: .*client password must be/.test(message);
}

/** The message of a client that asked for TLS in vain. */
const NO_TLS = 'The server does not support SSL connections';

/** The message of a client that could not connect in time. */
const NO_ANSWER = 'timeout expired';

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: 'its host is unknown (ENOTFOUND)',
  EAI_AGAIN: 'its host cannot be looked up at the moment (EAI_AGAIN)',
  ENOENT: 'there is no such socket (ENOENT)',
  ECONNREFUSED: 'nobody listens there (ECONNREFUSED)',
  ECONNRESET: 'the connection was reset (ECONNRESET)',
  CERT_HAS_EXPIRED: 'its certificate has expired',
};

const UNKNOWN_AUTHORITY =
  'its certificate is of an authority that this machine does not trust: name the file of that authority with sslrootcert';

/** These do not pass by themselves. */
const CERTIFICATE_REASONS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name than the host in the URL',
};
