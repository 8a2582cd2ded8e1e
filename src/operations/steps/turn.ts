import { turns } from '../../lib/turns.ts';
import type { Step } from '../call.ts';
import type { InputValidators } from '../input-validators.ts';

/**
 * Waits for the validator to be compiled and, for a read, for a turn of the event loop that has time left; in this
 * order, because all calls that came while it was compiled go on at once. The caller is identified again if anything
 * has changed since.
 */
export function turn(validators: InputValidators): Step {
  return {
    async run(call, next) {
      const { id, effect } = call.spec;
      if (validators.compiled(id) === undefined) await validators.compile(id);
      if (effect === 'read' && turns.isSpent) await turns.request();
      if (!call.rights.isCurrent) await call.rights.renew();
      return next(call);
    },
  };
}
