/** What the attributes of the element say. */

/** Anything but ids is an error: a page with a broken template must not show more groups than it was meant to. */
export function readGroupIds(text: string | null): number[] {
  if (text === null) return [];
  const ids = text.trim().split(/\s*[,\s]\s*/);
  if (!ids.every((id) => /^\d+$/.test(id))) {
    throw new RangeError(`group-ids is "${text}": expected ids of groups, such as "1,4".`);
  }
  return ids.map(Number);
}

export function readMessages(text: string | null): Readonly<Record<string, unknown>> {
  if (text === null) return {};
  try {
    return Object(JSON.parse(text));
  } catch {
    reportError(new RangeError('messages is not JSON: expected an object such as {"today": "Hoy"}.'));
    return {};
  }
}
