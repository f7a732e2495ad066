/** Why a command could not do what it was told, as a sentence for whoever typed it. */
export class Failure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Failure';
  }
}
