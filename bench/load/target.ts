/** What a load generator asks, over and over. */

export interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function describeHeaders({ headers }: Target): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}
