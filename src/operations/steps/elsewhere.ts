import type { Call, Step } from '../call.ts';

/** What is done about a read that cannot be answered from the memory of this node. */
export interface Elsewhere {
  /** Whether an error of a handler says so. */
  readonly isElsewhere: (error: unknown) => boolean;
  /** Asks another node; undefined if none can answer, and then what is missing is in memory when it resolves. */
  readonly ask: (call: Call, error: unknown) => Promise<{ readonly output: unknown } | undefined>;
  /** Does work of a call that may ask parts of indexes in the memory of other nodes, until it knows what it needs. */
  readonly gather: (call: Call, work: () => Promise<unknown>) => Promise<unknown>;
}

/**
 * Where nodes share the indexes of a database, a read that needs one which others hold is answered by one of them. The
 * others of the steps are this node's: only those inside of this one are taken there (`FORWARDED`). One of an index of
 * which only some parts are held by others is answered here, with what they say.
 */
export function elsewhere({ isElsewhere, ask, gather }: Elsewhere): Step {
  return {
    appliesTo: ({ effect }) => effect === 'read',
    async run(call, next) {
      const back = call.budget.mark();
      const work = (): Promise<unknown> => {
        back();
        return next(call);
      };
      for (;;) {
        try {
          return await gather(call, work);
        } catch (error) {
          if (!isElsewhere(error)) throw error;
          const answer = await ask(call, error);
          if (answer !== undefined) return answer.output;
        }
      }
    },
  };
}
