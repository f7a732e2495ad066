/** A plan that changes between requests, behind a `fetch` that speaks the API with or without the headers of the service. */

import type { Shift } from '@shiftfeed/client';
import { someShift } from './other-server.ts';

export interface PlanOptions {
  /** `listing` sends tags of listings and entity tags, as the service does; `etag` entity tags alone; `none` neither. */
  readonly headers?: 'listing' | 'etag' | 'none';
  readonly beforeRequest?: (plan: ChangingPlan) => void;
}

export class ChangingPlan {
  shifts: readonly Shift[] = [];
  /** Every state that was ever there, as text. */
  readonly states = new Set<string>();
  /** What was asked for and how it was answered, such as `200 ?page=1`. */
  readonly log: string[] = [];
  requests = 0;
  /** What answers instead, while it is there. */
  instead: (() => Response | Promise<Response>) | undefined;
  readonly #headers: 'listing' | 'etag' | 'none';
  readonly #beforeRequest: (plan: ChangingPlan) => void;
  /** When a month was last written to. */
  readonly #stamps = new Map<string, number>();

  constructor(shifts: readonly Shift[], options: PlanOptions = {}) {
    this.#headers = options.headers ?? 'listing';
    this.#beforeRequest = options.beforeRequest ?? (() => undefined);
    this.change(shifts);
  }

  change(shifts: readonly Shift[]): void {
    const months = new Set([...this.shifts, ...shifts].map(monthOf));
    const before = this.shifts;
    this.shifts = [...shifts].sort((a, b) => (a.date === b.date ? a.id - b.id : a.date < b.date ? -1 : 1));
    for (const month of months) {
      const of = (state: readonly Shift[]) =>
        JSON.stringify(state.filter((shift) => monthOf(shift) === month));
      if (of(before) !== of(this.shifts)) this.#stamps.set(month, this.states.size + 1);
    }
    this.states.add(JSON.stringify(this.shifts));
  }

  fetch = async (url: string, { headers }: RequestInit): Promise<Response> => {
    this.#beforeRequest(this);
    this.requests++;
    const { searchParams, search } = new URL(url);
    const response = await (this.instead?.() ?? this.#answer(searchParams, new Headers(headers)));
    this.log.push(`${response.status} ${search}`);
    return response;
  };

  #answer(query: URLSearchParams, headers: Headers): Response {
    const [from, to] = [query.get('date_from') ?? '', query.get('date_to') ?? '9999-12-31'];
    const isAsked = ({ date }: { date: string }) => date >= from && date <= to;
    const shifts = this.shifts.filter(isAsked);
    const page = Number(query.get('page') ?? 1);
    const per_page = Number(query.get('per_page') ?? 500);
    const listed = shifts.slice((page - 1) * per_page, page * per_page);
    const total = shifts.length;
    const body = JSON.stringify({
      shifts: listed,
      meta: { total, page, per_page, total_pages: Math.ceil(total / per_page) },
    });
    const stamps = [...this.#stamps].filter(
      ([month]) => month >= from.slice(0, 7) && month <= to.slice(0, 7),
    );
    const tag = `${from}-${to}-${stamps.join()}`;
    const sent = {
      listing: { 'shiftfeed-listing': tag, etag: `"${tag}-${page}-${per_page}"` },
      etag: { etag: `"${Buffer.from(body).toString('base64url')}"` },
      none: {},
    }[this.#headers];
    const known = 'etag' in sent && headers.get('if-none-match') === sent.etag;
    return known ? new Response(null, { status: 304, headers: sent }) : new Response(body, { headers: sent });
  }
}

function monthOf({ date }: Shift): string {
  return date.slice(0, 7);
}

/** A shift on the first days of a month of 2026. */
export function shiftIn(month: number, id: number, fields: Partial<Shift> = {}): Shift {
  const date = `2026-${String(month).padStart(2, '0')}-${String(1 + (id % 28)).padStart(2, '0')}`;
  return someShift(id, { date, end_date: date, ...fields }) as Shift;
}

/** So many shifts in each of the 12 months. */
export function yearOf(shiftsAMonth: number): Shift[] {
  return Array.from({ length: 12 * shiftsAMonth }, (_, i) =>
    shiftIn(1 + Math.floor(i / shiftsAMonth), i + 1),
  );
}
