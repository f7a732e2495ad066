/** The owner's choice of what to show, as it is written in the configuration file and as it is used. */

export interface GatewayConfig {
  /** The address of the account, without a slash at the end. */
  readonly upstream: string;
  readonly tokenFile: string | undefined;
  /**
   * For personal links: the file with their secret, and the file with the numbers of people who were given another
   * link.
   */
  readonly linksSecretFile: string | undefined;
  readonly linksFile: string | undefined;
  readonly timeZone: string | undefined;
  /** Makes the identities of events unique in the world. */
  readonly calendarId: string | undefined;
  readonly feeds: readonly FeedConfig[];
}

export interface FeedConfig {
  readonly name: string;
  readonly title: string;
  readonly groupIds: ReadonlySet<number> | 'all';
  readonly show: ReadonlySet<ShowKey>;
  readonly daysBack: number;
  readonly daysAhead: number;
  readonly hidesCancelled: boolean;
  readonly showsUnpublished: boolean;
  readonly origins: readonly string[];
  readonly maxAgeSeconds: number;
  /** The language of the calendar file. A page uses that of the browser. */
  readonly language: string;
  /** Whether everybody with shifts in this feed has an address of their own. */
  readonly isPersonal: boolean;
}

export const SHOW_KEYS = [
  'group',
  'location',
  'person',
  'remarks',
  'starred',
  'noshow',
  'publish_date',
  'open',
] as const;
export type ShowKey = (typeof SHOW_KEYS)[number];

/** The configuration as people write it. */
export interface ConfigDocument {
  readonly $schema?: string;
  readonly upstream: string;
  readonly token_file?: string;
  readonly links_secret_file?: string;
  readonly links_file?: string;
  readonly time_zone?: string;
  readonly calendar_id?: string;
  readonly feeds: Readonly<Record<string, FeedDocument>>;
}

export interface FeedDocument {
  readonly title?: string;
  readonly group_ids: readonly number[] | 'all';
  readonly show?: readonly ShowKey[];
  readonly days_back?: number;
  readonly days_ahead?: number;
  readonly cancelled?: 'show' | 'hide';
  readonly unpublished?: boolean;
  readonly origins?: readonly string[];
  readonly max_age?: number;
  readonly language?: string;
  readonly personal?: boolean;
}

/**
 * The configuration as TypeScript sees it in an imported JSON file, where every word is a plain string. `readConfig`
 * checks the words at the start.
 */
export type ImportedConfig = Widened<ConfigDocument>;

type Widened<T> = T extends string
  ? string
  : T extends readonly (infer Item)[]
    ? readonly Widened<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: Widened<T[Key]> }
      : T;

/** What is wrong with a configuration. */
export interface ConfigProblem {
  /** Such as `feeds.kitchen.show[2]`; empty for the configuration as a whole. */
  readonly place: string;
  readonly message: string;
}

export class ConfigProblems extends Error {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map(({ place, message }) => (place === '' ? message : `${place}: ${message}`));
    super(
      `The configuration has ${lines.length === 1 ? 'a problem' : `${lines.length} problems`}.\n  ${lines.join('\n  ')}`,
    );
    this.name = 'ConfigProblems';
    this.problems = problems;
  }
}
