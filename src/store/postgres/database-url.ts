/**
 * What the URL of a PostgreSQL database says. It is read here and not by the driver, which knows no lists of hosts and
 * ignores parameters that it does not know.
 *
 * Messages never show a part of a password: a URL that can be read in two ways is refused, because one reading would
 * take a piece of the password for a host, a database or a parameter.
 */

import { isIPv6 } from 'node:net';
import { StoreFailure } from '../failure.ts';

export interface PostgresUrl {
  /** Hosts and database, for messages. */
  readonly name: string;
  readonly hosts: readonly [Host, ...Host[]];
  /** What a server must be to be used. */
  readonly wanted: Wanted;
  readonly isBalanced: boolean;
  /** How long connecting to one host may take, if the URL says so. */
  readonly connectMs: number | undefined;
  readonly database: string | undefined;
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly applicationName: string | undefined;
  readonly options: string | undefined;
  /** undefined: what the environment says, which is no TLS if it says nothing. */
  readonly tls: Tls | 'off' | undefined;
}

export interface Host {
  /** For messages. */
  readonly label: string;
  /** A name, an address or the folder of a socket. Without one, the driver uses its default. */
  readonly host: string | undefined;
  readonly port: number | undefined;
}

export interface Tls {
  /** Of the certificate: nothing, who signed it, or also whether it is for this host. */
  readonly verifies: 'nothing' | 'authority' | 'all';
  readonly isDirect: boolean;
  readonly bindsChannel: boolean;
  /** Paths of files. */
  readonly authority: string | undefined;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}

const WANTED = ['any', 'primary', 'read-write', 'standby', 'prefer-standby', 'read-only'] as const;
/** As libpq defines them for `target_session_attrs`. */
export type Wanted = (typeof WANTED)[number];

/** The values that each parameter takes; `undefined` for any text. Others are refused, because they would do nothing. */
const PARAMETERS: ReadonlyMap<string, readonly string[] | undefined> = new Map<
  string,
  readonly string[] | undefined
>([
  ['application_name', undefined],
  ['channel_binding', ['disable', 'prefer', 'require']],
  ['connect_timeout', undefined],
  // Encryption by Kerberos is never used, so nothing is lost by these.
  ['gssencmode', ['disable', 'prefer']],
  ['host', undefined],
  ['load_balance_hosts', ['disable', 'random']],
  ['options', undefined],
  ['port', undefined],
  ['ssl', ['true', '1', 'false', '0', 'no-verify']],
  ['sslcert', undefined],
  ['sslkey', undefined],
  // Not "allow" and "prefer": whoever stands in between could switch TLS off.
  ['sslmode', ['disable', 'require', 'verify-ca', 'verify-full', 'no-verify']],
  ['sslnegotiation', ['postgres', 'direct']],
  ['sslrootcert', undefined],
  ['target_session_attrs', WANTED],
  ['user', undefined],
]);

/** `source` is what errors call the URL. */
export function parsePostgresUrl(url: string, source = 'The database URL'): PostgresUrl {
  const refuse = (flaw: string) => new StoreFailure('bad-url', `${source} is not valid: ${flaw}.`);
  const { authority, path, query } = splitUrl(url, refuse);
  const parameters = parametersOf(query, isQuotable(authority), refuse);
  const decode = (text: string) => decoded(text, refuse) || undefined;
  const at = authority.lastIndexOf('@');
  const [, user = '', password = ''] = /^([^:]*):?(.*)$/s.exec(authority.slice(0, Math.max(at, 0))) ?? [];
  const database = decode(path.slice(1));
  const hosts = hostsOf(authority.slice(at + 1), at >= 0, parameters, refuse);
  return {
    name: `${hosts.map(({ label }) => label).join()}${database === undefined ? '' : `/${database}`}`,
    hosts,
    // One host stays what its owner says it is. Of several, only one can be written to.
    wanted: (parameters.get('target_session_attrs') as Wanted) ?? (hosts.length > 1 ? 'primary' : 'any'),
    isBalanced: parameters.get('load_balance_hosts') === 'random',
    connectMs: connectMsOf(parameters.get('connect_timeout'), refuse),
    database,
    user: parameters.get('user') ?? decode(user),
    password: decode(password),
    applicationName: parameters.get('application_name'),
    options: parameters.get('options'),
    tls: tlsOf(parameters, refuse),
  };
}

/** Hosts and database, for messages. */
export function databaseName(url: string): string {
  return parsePostgresUrl(url).name;
}

type Refuse = (flaw: string) => StoreFailure;

const ENCODED: Readonly<Record<string, string>> = { '@': '%40', '/': '%2F', '?': '%3F', '#': '%23' };
const EXPECTED =
  'expected postgres://USER:PASSWORD@HOST/DATABASE, with percent-encoding for what is special in a user name or password ' +
  '(%40 for @, %2F for /, %3F for ?, %23 for #, %25 for %)';

function splitUrl(url: string, refuse: Refuse) {
  const [, authority = '', path = '', query = ''] = /^\w+:\/\/([^/?#]*)([^?#]*)\??(.*)$/s.exec(url) ?? [];
  // An unencoded slash, question mark or hash in a password ends the host too early, and the @ comes after it.
  if (/@|#/.test(path + query)) throw refuse(signsOf(url));
  // The @ may also have been encoded by mistake.
  const at = authority.lastIndexOf('@');
  if (/%40/.test(authority.slice(at + 1) + path + (at < 0 ? query : ''))) throw refuse(EXPECTED);
  if (path.lastIndexOf('/') > 0) throw refuse(EXPECTED);
  return { authority, path, query };
}

/** Names signs and not where they stand. */
function signsOf(url: string): string {
  const rest = url.slice(url.indexOf('//') + 2);
  const login = rest.slice(0, Math.max(rest.lastIndexOf('@'), 0));
  const signs = Object.keys(ENCODED).filter((sign) => (sign === '#' ? rest : login).includes(sign));
  const advice = signs.map((sign) => `${ENCODED[sign]} for ${sign}`).join(', ');
  return `a user name, password or parameter in it holds ${signs.join(' and ')}: write ${advice}`;
}

function decoded(text: string, refuse: Refuse): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refuse('a % in it does not begin an encoded sign: write %25 for % in a user name or password');
  }
}

/** Without an @, what looks like a port and parameters may be a password that lost its host. */
function isQuotable(authority: string): boolean {
  return authority.includes('@') || !authority.includes(':');
}

function parametersOf(query: string, mayQuote: boolean, refuse: Refuse): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  const given = new URLSearchParams(query);
  // One that holds an & would look like several parameters, so nothing is quoted beside it.
  if (given.has('password'))
    throw refuse(`its password stands in a parameter, and belongs before the @; ${EXPECTED}`);
  for (const [name, value] of given) {
    const flaw = flawOf(name, value, parameters);
    const isClear = mayQuote && /^[A-Za-z_]{1,50}$/.test(name);
    if (flaw !== undefined) throw refuse(isClear ? flaw : EXPECTED);
    parameters.set(name, value);
  }
  return parameters;
}

function flawOf(name: string, value: string, others: ReadonlyMap<string, string>): string | undefined {
  if (!PARAMETERS.has(name))
    return `its parameter ${name} is unknown to Shiftfeed; known are ${[...PARAMETERS.keys()].join(', ')}`;
  if (others.has(name)) return `it has the parameter ${name} twice`;
  const values = PARAMETERS.get(name);
  if (values === undefined ? value !== '' : values.includes(value)) return undefined;
  const expected = values === undefined ? 'a value' : anyOf(values);
  return `its parameter ${name} is ${JSON.stringify(value.slice(0, 50))}, expected ${expected}`;
}

function anyOf(values: readonly string[]): string {
  return `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
}

/** All of them are connected to at once when the primary is looked for. */
const MAX_HOSTS = 20;

function hostsOf(
  authority: string,
  hasLogin: boolean,
  parameters: ReadonlyMap<string, string>,
  refuse: Refuse,
): PostgresUrl['hosts'] {
  const given = parameters.get('host');
  const ports = parameters.get('port')?.split(',') ?? [];
  // A password that ends with @ would look like this.
  if (given === undefined && authority === '' && hasLogin) throw refuse(EXPECTED);
  const texts = given === undefined ? authority.split(',') : given.split(',');
  if (texts.length > MAX_HOSTS) throw refuse(`it has ${texts.length} hosts, at most ${MAX_HOSTS} are taken`);
  if (ports.length > 1 && ports.length !== texts.length)
    throw refuse(`it has ${texts.length} hosts and ${ports.length} ports`);
  const [first, ...others] = texts.map((text, i) => {
    if (text === '' && texts.length > 1) throw refuse('a host in its list is empty');
    const host = given === undefined ? hostOf(text, refuse) : hostAlone(text, refuse);
    const port = ports[i] ?? ports[0];
    return labelled(host.host, port === undefined ? host.port : portOf(port, refuse));
  });
  if (first === undefined) throw refuse(EXPECTED);
  return [first, ...others];
}

type Address = Omit<Host, 'label'>;

function labelled(host: string | undefined, port: number | undefined): Host {
  const label = host !== undefined && isIPv6(host) ? `[${host}]` : (host ?? '');
  return { label: port === undefined ? label : `${label}:${port}`, host, port };
}

function hostOf(text: string, refuse: Refuse): Address {
  const [, address, name = '', port] = /^(?:\[([^\]]*)\]|([^:[\]]*))(?::([^:]*))?$/.exec(text) ?? [];
  if (address === undefined && name === '' && text !== '') throw refuse(EXPECTED);
  const alone = hostAlone(decoded(address ?? name, refuse), refuse);
  return { ...alone, port: port === undefined || port === '' ? undefined : portOf(port, refuse) };
}

/** Quotes nothing: it may be a piece of a password. */
function hostAlone(host: string, refuse: Refuse): Address {
  if (!/^(\/.*|[\p{L}\p{N}._-]*)$/u.test(host) && !isIPv6(host)) throw refuse(EXPECTED);
  return { host: host || undefined, port: undefined };
}

function portOf(text: string, refuse: Refuse): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw refuse(`a port in it is no number from 1 to 65535; ${EXPECTED}`);
  return port;
}

/** As in libpq, 0 means no limit. */
function connectMsOf(text: string | undefined, refuse: Refuse): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,6}$/.test(text)) throw refuse('its parameter connect_timeout is no number of seconds');
  return Number(text) * 1000 || undefined;
}

function tlsOf(parameters: ReadonlyMap<string, string>, refuse: Refuse): PostgresUrl['tls'] {
  const mode = parameters.get('sslmode');
  const ssl = parameters.get('ssl');
  const verifies = verifiedBy(mode ?? ssl);
  if (mode !== undefined && ssl !== undefined && verifies !== verifiedBy(ssl))
    throw refuse(`its parameters sslmode=${mode} and ssl=${ssl} contradict each other: leave ssl out`);
  const [authority, certificate, key] = ['sslrootcert', 'sslcert', 'sslkey'].map((name) =>
    parameters.get(name),
  );
  const isDirect = parameters.get('sslnegotiation') === 'direct';
  const binding = parameters.get('channel_binding');
  const isNamed = isDirect || [authority, certificate, key].some((path) => path !== undefined);
  const chosen = verifies ?? (isNamed ? 'all' : undefined);
  // Then the certificate proves who the server is, and binding is used where the server offers it.
  if (binding === 'require' && chosen !== 'all')
    throw refuse('channel_binding=require needs TLS with a verified certificate: add sslmode=verify-full');
  // Whom the system trusts gives a certificate to anybody, for a name of their own.
  if (chosen === 'authority' && (authority ?? 'system') === 'system')
    throw refuse(
      'sslmode=verify-ca needs the file of an authority as sslrootcert: add it, or take verify-full',
    );
  if (chosen === undefined || chosen === 'off') return chosen;
  return {
    verifies: chosen,
    isDirect,
    bindsChannel: binding === 'prefer' || binding === 'require',
    // In libpq, this word stands for the authorities that the system trusts, which is the default here.
    authority: authority === 'system' ? undefined : authority,
    certificate,
    key,
  };
}

/** "require" verifies, too. In libpq it does not, so that anybody in between could read along. */
function verifiedBy(mode: string | undefined): Tls['verifies'] | 'off' | undefined {
  if (mode === undefined) return undefined;
  if (['disable', 'false', '0'].includes(mode)) return 'off';
  if (mode === 'no-verify') return 'nothing';
  return mode === 'verify-ca' ? 'authority' : 'all';
}
