/**
 * Runs asynchronous work one after the other. A connection has one transaction at a time, so no other read may start
 * while one is waiting for something.
 */

export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

export function takeTurns(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => undefined);
    return turn;
  };
}
