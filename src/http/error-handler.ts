/**
 * Turns errors into responses. The body of every error is {"error": sentence}. An unexpected error is logged, and the
 * client only learns that there was one: neither stack traces nor data leave the process.
 */

import { Refusal } from '../feed/refusal.ts';
import { StoreFailure } from '../store/failure.ts';
import { Overloaded } from './limits/turns.ts';
import { OVERLOADED, type ProblemLog } from './observe/problem-log.ts';
import { addToRequestLog } from './observe/request-log.ts';
import type { Answer, Exchange } from './protocol/exchange.ts';
import {
  NotAcceptable,
  PROBLEMS,
  type Problem,
  problemAnswer,
  REFUSALS,
  TooBusy,
  TooManyRequests,
} from './protocol/problems.ts';

/** The one place where errors become answers. */
export function answerErrors(log: ProblemLog) {
  return (error: unknown, exchange: Exchange): Answer => {
    if (error instanceof Refusal) {
      if (error.kind === 'bad-parameters') addToRequestLog(exchange, { wrong: error.parameters });
      return problemAnswer({ ...REFUSALS[error.kind], message: error.message });
    }
    if (error instanceof TooManyRequests) return problemAnswer(tooManyRequests(error));
    if (error instanceof NotAcceptable) return problemAnswer(PROBLEMS.notAcceptable);
    const reqId = exchange.id;
    if (error instanceof TooBusy) {
      log.warn('Too many pages are being compressed: clients that accept only compressed ones are refused.', {
        reqId,
      });
      return problemAnswer(PROBLEMS.tooBusy);
    }
    if (error instanceof Overloaded) {
      log.warn(OVERLOADED, { reqId });
      return problemAnswer(PROBLEMS.overloaded);
    }
    if (error instanceof StoreFailure) {
      // The message is for the operator: it may name files and hosts.
      log.error(error.message, { reqId });
      return problemAnswer(PROBLEMS.unavailable);
    }
    log.error(error instanceof Error ? error.message : String(error), { reqId, err: error });
    const { status, message } = PROBLEMS.internal;
    return problemAnswer({ status, message: `${message} Its log entry has the id ${reqId}.` });
  };
}

function tooManyRequests({ message, retryAfterSeconds }: TooManyRequests): Problem {
  const wait = `${retryAfterSeconds} ${retryAfterSeconds === 1 ? 'second' : 'seconds'}`;
  return {
    status: 429,
    message: `${message} Try again in ${wait}.`,
    headers: { 'retry-after': String(retryAfterSeconds) },
  };
}
