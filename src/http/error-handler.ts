/**
 * Turns errors into responses. The body of every error is {"error": sentence}. An unexpected error is logged, and the
 * client is only told that there was one: neither stack traces nor data leave the process.
 */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../feed/refusal.ts';
import { StoreFailure } from '../store/failure.ts';
import type { ProblemLog } from './observe/problem-log.ts';
import { addToRequestLog } from './observe/request-log.ts';
import {
  NotAcceptable,
  PROBLEMS,
  type Problem,
  REFUSALS,
  sendProblem,
  TooBusy,
  TooManyRequests,
} from './protocol/problems.ts';

/** The one error handler of the app. */
export function errorHandler(log: ProblemLog) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (error instanceof Refusal) {
      if (error.kind === 'bad-parameters') addToRequestLog(request, { wrong: error.parameters });
      return sendProblem(reply, { ...REFUSALS[error.kind], message: error.message });
    }
    if (error instanceof TooManyRequests) return sendProblem(reply, tooManyRequests(error));
    if (error instanceof NotAcceptable) return sendProblem(reply, PROBLEMS.notAcceptable);
    const reqId = request.id;
    if (error instanceof TooBusy) {
      log.warn('Too many pages are being compressed: clients that accept only compressed ones are refused.', {
        reqId,
      });
      return sendProblem(reply, PROBLEMS.tooBusy);
    }
    if (error instanceof StoreFailure) {
      // The message is for the operator: it may name files and hosts.
      log.error(error.message, { reqId });
      return sendProblem(reply, PROBLEMS.unavailable);
    }
    log.error(error instanceof Error ? error.message : String(error), { reqId, err: error });
    const { status, message } = PROBLEMS.internal;
    return sendProblem(reply, { status, message: `${message} Its log entry has the id ${reqId}.` });
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
