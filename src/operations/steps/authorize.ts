import type { Step } from '../call.ts';
import type { Precondition } from './read.ts';

/** The permission for the whole input, with what of it depends on what is stored. */
export function authorize(fences: Partial<Record<string, Precondition<object>>>): Step {
  return {
    async run(call, next) {
      const decision = call.rights.decide(call.input!, fences[call.spec.id]);
      if (decision !== undefined) await decision;
      return next(call);
    },
  };
}
