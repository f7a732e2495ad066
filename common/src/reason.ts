/** What is wrong with something that was given, and what would mend it. */

export interface Reason {
  readonly message: string;
  /** The same for a page, if it names options, which a page does not have. */
  readonly onPage?: string | undefined;
  /** The end of the message on a command line: which option to give. A page has a field in place of it. */
  readonly advice?: string | undefined;
  readonly fix?: Fix | undefined;
  /** The text in question. */
  readonly about?: string | undefined;
  /** Options that may be meant as well. A page offers them; a command line does not propose them. */
  readonly offers?: readonly (readonly [key: string, value: string])[] | undefined;
}

/**
 * An option that would solve a problem. With several values, only a human can tell which is right; one of another option
 * is a pair.
 */
export type Fix = readonly [
  option: string,
  value: string,
  ...others: readonly (string | readonly [option: string, value: string])[],
];
