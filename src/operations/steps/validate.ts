import type { Step } from '../call.ts';
import type { InputCheck } from '../input-check.ts';
import type { InputValidators } from '../input-validators.ts';

/**
 * Checks the input and completes it with defaults, in place. A long input is checked in steps, in which rights may end.
 */
export function validate(check: InputCheck, validators: InputValidators): Step {
  return {
    async run(call, next) {
      const { spec, rights } = call;
      const checked = check(spec, spec.id, validators.compiled(spec.id)!, call.input!);
      call.warnings = checked instanceof Promise ? await checked : checked;
      if (!rights.isCurrent) await rights.renew();
      return next(call);
    },
  };
}
