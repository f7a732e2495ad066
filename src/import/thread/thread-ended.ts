/** The thread that reads a document ended before the document did. The message says why. */
export class ThreadEnded extends Error {}
