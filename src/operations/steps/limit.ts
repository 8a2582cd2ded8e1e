import { ServiceError } from '../../errors/index.ts';
import type { AccessWatches } from '../access-watch.ts';
import { AnswerBudget } from '../answer-budget.ts';
import { LongCall } from '../call-rights.ts';
import { CallContext, type Step } from '../call.ts';
import type { Protocol } from '../caller.ts';

export interface Limits {
  /** Milliseconds of a limited operation; 0 for no limit. */
  readonly timeoutMs: number;
  /** Maximum size of one response in bytes. */
  readonly answerBytes: (protocol: Protocol) => number;
  /** Supervises the permissions of calls without a time limit; if absent, they are checked only where handlers ask. */
  readonly watches: AccessWatches | undefined;
}

/** A call ends with its client and its time or, where it has no time limit, with the permission of its caller. */
export function limit({ timeoutMs, answerBytes, watches }: Limits): Step {
  return {
    run(call, next) {
      const { spec, caller, rights } = call;
      call.budget = caller.budget?.share() ?? new AnswerBudget(answerBytes(caller.protocol));
      call.long = spec.limited || watches === undefined ? undefined : new LongCall(watches, rights, caller.signal);
      const setActor = (username: string): void => void (call.actor = username);
      const work = (signal: AbortSignal): Promise<unknown> => {
        call.context = new CallContext(rights, { caller, signal, budget: call.budget, setActor });
        return next(call);
      };
      return call.long?.during(work) ?? withTimeout(spec.limited ? timeoutMs : 0, caller.signal, work);
    },
  };
}

/**
 * Runs work under a signal that aborts when the client disconnects or the time is up. In the latter case the response
 * is 503 at once. Work that was already committed stays, but was not acknowledged.
 */
function withTimeout<T>(milliseconds: number, client: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>): Promise<T>
{
  if (milliseconds === 0) return work(client ?? NEVER);
  return new Promise((resolve, reject) => {
    const over = new AbortController();
    // Implemented by hand, because `AbortSignal.any` costs several times as much for each request.
    const leave = (): void => over.abort(client!.reason);
    const timer = setTimeout(() => {
      const error = new ServiceError('busy', `the request took longer than ${milliseconds} ms`, {
        headers: { 'Retry-After': '1' },
      });
      over.abort(error);
      reject(error);
    }, milliseconds);
    if (client?.aborted === true) leave();
    else client?.addEventListener('abort', leave, { once: true });
    const ended = (): void => {
      clearTimeout(timer);
      client?.removeEventListener('abort', leave);
    };
    // Not `finally`, whose promises small requests would pay for.
    work(over.signal).then((value) => {
      ended();
      resolve(value);
    }, (error: unknown) => {
      ended();
      reject(error);
    });
  });
}

const NEVER = new AbortController().signal;
