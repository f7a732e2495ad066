/** The dates and times of a large document are few, so that remembering them is faster than reading each again. */

/** With so many values, it forgets all of them. */
const MAX_REMEMBERED = 10_000;

/** The same function, which remembers what it returned. What it returns undefined for may be long and is not kept. */
export function remembered<Value>(
  read: (text: string) => Value | undefined,
): (text: string) => Value | undefined {
  const values = new Map<string, Value>();
  return (text) => {
    const known = values.get(text);
    if (known !== undefined) return known;
    const value = read(text);
    if (value === undefined) return undefined;
    if (values.size >= MAX_REMEMBERED) values.clear();
    values.set(text, value);
    return value;
  };
}
