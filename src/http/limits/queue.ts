/** First in, first out. Unlike with an array, the cost does not grow with the length. */
export interface Queue<T> {
  push(value: T): void;
  shift(): T | undefined;
  isEmpty(): boolean;
}

interface Link<T> {
  readonly value: T;
  next: Link<T> | undefined;
}

export function makeQueue<T>(): Queue<T> {
  let first: Link<T> | undefined;
  let last: Link<T> | undefined;
  return {
    push(value) {
      const link = { value, next: undefined };
      if (last === undefined) first = link;
      else last.next = link;
      last = link;
    },
    shift() {
      const link = first;
      first = link?.next;
      if (first === undefined) last = undefined;
      return link?.value;
    },
    isEmpty: () => first === undefined,
  };
}
