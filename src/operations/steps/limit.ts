import type { AccessWatches } from '../access-watch.ts';
import { AnswerBudget } from '../answer-budget.ts';
import { CallContext } from '../call-context.ts';
import type { Step } from '../call.ts';
import type { Protocol } from '../caller.ts';
import { LongCall } from '../long-call.ts';
import { withTimeout } from '../timeout.ts';

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
