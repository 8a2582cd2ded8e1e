import { ServiceError } from '../../errors/index.ts';
import { refuseEarly } from '../authorize.ts';
import type { Step } from '../call.ts';
import type { Precondition } from './input.ts';

/** The first decision on the caller's rights: origin, access mode, credential. */
export const identify: Step = {
  async run(call, next) {
    await call.rights.identify();
    call.isKnown = true;
    return next(call);
  },
};

/** Refuses callers without the permission, and then calls of operations that are not built. */
export function refuse(isBuilt: (id: string) => boolean): Step {
  return {
    async run(call, next) {
      refuseEarly(call.spec, call.rights.identity, call.input!);
      if (!isBuilt(call.spec.id)) throw new ServiceError('not_implemented', `${call.spec.id} is not implemented`);
      return next(call);
    },
  };
}

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
