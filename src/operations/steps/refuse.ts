import { ServiceError } from '../../errors/index.ts';
import { refuseEarly } from '../authorize.ts';
import type { Step } from '../call.ts';

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
