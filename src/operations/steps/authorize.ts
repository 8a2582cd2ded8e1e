import { authorize as requirePermission } from '../authorize.ts';
import type { Step } from '../call.ts';
import type { Precondition } from './read.ts';

/** The permission for the whole input. `fences` are repeated whenever it is checked again. */
export function authorize(fences: Partial<Record<string, Precondition<object>>>): Step {
  return {
    async run(call, next) {
      const { spec, rights, input } = call;
      requirePermission(spec, rights.identity, input!);
      rights.allowed(input!, fences[spec.id]);
      return next(call);
    },
  };
}
