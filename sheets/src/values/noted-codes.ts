/** The codes of a sheet, which note which of them its cells have: a code that no cell has may be misspelt. */
export class NotedCodes extends Map<string, string> {
  readonly #found = new Set<string>();

  override get(code: string): string | undefined {
    const times = super.get(code);
    if (times !== undefined) this.#found.add(code);
    return times;
  }

  unused(): readonly string[] {
    return [...this.keys()].filter((code) => !this.#found.has(code));
  }
}
