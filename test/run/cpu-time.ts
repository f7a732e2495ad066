/** What Linux counted of the processors' time. */

import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second, whatever its own clock does. */
const TICKS_PER_SECOND = 100;

/** Of this process and of those that it started and that have ended; nothing where the system does not tell. */
export function cpuSeconds(): number {
  try {
    // The name of the program, in brackets, may hold spaces.
    const [, rest = ''] = /\) (.*)/.exec(readFileSync('/proc/self/stat', 'utf8')) ?? [];
    const [user = 0, system = 0, usersOfChildren = 0, systemOfChildren = 0] = rest
      .split(' ')
      .slice(11, 15)
      .map(Number);
    return (user + system + usersOfChildren + systemOfChildren) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}
