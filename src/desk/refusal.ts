/** Why the desk does not do what it is asked for: a status and a sentence for the page. */
export class DeskRefusal extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, sentence: string, headers: Readonly<Record<string, string>> = {}) {
    super(sentence);
    this.name = 'DeskRefusal';
    this.status = status;
    this.headers = headers;
  }
}

/** Another account's things are answered like things that do not exist. */
export function notFound(what = 'this address'): DeskRefusal {
  return new DeskRefusal(404, `There is nothing at ${what}.`);
}
