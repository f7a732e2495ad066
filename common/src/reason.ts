/** What is wrong with something that was given, and what would mend it. */

export interface Reason {
  readonly message: string;
  /** The same for a page, which has no options, and our columns as words. */
  readonly onPage?: string | undefined;
  /** The end of the message on a command line: which option to give. A page has a field in place of it. */
  readonly advice?: string | undefined;
  readonly fix?: Fix | undefined;
  /** The text in question. */
  readonly about?: string | undefined;
  /** Options that may be meant as well. A page offers them; a command line does not propose them. */
  readonly offers?: readonly Way[] | undefined;
}

/** An option by its key, and its value. With a gap, only a human knows what comes after it. */
export type Way = readonly [key: string, value: string, gap?: 'gap'];

/** Options that would solve a problem. Of several, one is right, and only a human can tell which. */
export type Fix = readonly Way[];

export function byOption(key: string, ...values: readonly string[]): Fix {
  return values.map((value) => [key, value]);
}
