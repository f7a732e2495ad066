/** Goes on with a value at once where it is there already: a promise would take longer than the rest of a visit. */
export function onceThere<T, R>(value: T | Promise<T>, goOn: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}
