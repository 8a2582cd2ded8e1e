import type { Call, Step } from '../call.ts';

/** What is done about a read that cannot be answered from the memory of this node. */
export interface Elsewhere {
  /** Whether an error of a handler says so. */
  readonly isElsewhere: (error: unknown) => boolean;
  /** Asks another node; undefined if none can answer, and then what is missing is in memory when it resolves. */
  readonly ask: (call: Call, error: unknown) => Promise<{ readonly output: unknown } | undefined>;
}

/**
 * Where nodes share the indexes of a database, a read that needs one which others hold is answered by one of them. The
 * others of the steps are this node's: only those inside of this one are taken there (`FORWARDED`).
 */
export function elsewhere({ isElsewhere, ask }: Elsewhere): Step {
  return {
    appliesTo: ({ effect }) => effect === 'read',
    async run(call, next) {
      for (;;) {
        try {
          return await next(call);
        } catch (error) {
          if (!isElsewhere(error)) throw error;
          const answer = await ask(call, error);
          if (answer !== undefined) return answer.output;
        }
      }
    },
  };
}
