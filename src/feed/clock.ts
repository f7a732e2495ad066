/** Milliseconds since 1970. Always passed in, so that tests decide what time it is. */
export type Clock = () => number;
