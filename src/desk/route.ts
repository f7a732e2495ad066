/** What the desk answers at an address, and what it has to answer with. */

import type { AppOptions } from '../http/app.ts';
import type { Exchange } from '../http/protocol/exchange.ts';
import type { DeskDatabase } from './database.ts';
import type { Imports } from './imports.ts';
import type { JsonObject } from './request.ts';
import type { Session, Sessions } from './session.ts';

export interface DeskOptions
  extends Pick<AppOptions, 'log' | 'trustProxy' | 'limits' | 'metrics' | 'logSent' | 'turns'> {
  readonly database: DeskDatabase;
  readonly sessions: Sessions;
  readonly imports: Imports;
  /** Where people open the desk, without a slash at the end. Known once it listens. */
  readonly urlOf: () => string;
  /** The origins of its own pages. */
  readonly origins: () => ReadonlySet<string>;
  readonly nowMs: () => number;
}

/** What a route gets. */
export interface Visit {
  readonly session: Session;
  readonly exchange: Exchange;
  /** What stands for `:id` in the path. */
  readonly id: string;
  readonly query: URLSearchParams;
  /** What was sent. The session is as it was when all of it had arrived. */
  readonly body: JsonObject;
  /** For files, which take long: fails if the key has ended since the request began. */
  checkAgain(): Promise<Session>;
}

/**
 * What is answered below /api/, as JSON, or undefined for nothing: by method and path, such as `DELETE tokens/:id`, where
 * `:id` stands for anything.
 */
export type DeskRoutes = Readonly<
  Record<
    `${'GET' | 'POST' | 'PATCH' | 'DELETE'} ${string}`,
    (visit: Visit) => object | undefined | Promise<object | undefined>
  >
>;
