import { ServiceError } from '../../errors/index.ts';
import { nodeLoop, turns } from '../../lib/turns.ts';
import { refuseEarly } from '../authorize.ts';
import type { Call, Reading, Step } from '../call.ts';
import type { Identity } from '../caller.ts';
import type { InputOf } from '../handler.ts';
import type { InputCheck } from '../input-check.ts';
import type { InputValidators } from '../input-validators.ts';

/** Called with the parameters and the caller before validation; throws if the parameters are wrong. */
export type Precondition<Input> = (parameters: Partial<Record<keyof Input, unknown>>, identity: Identity) => Promise<
  void
> | void;

export type Preconditions<Operations> = { readonly [K in keyof Operations]?: Precondition<InputOf<Operations, K>> };

type AnyPreconditions = Partial<Record<string, Precondition<object>>>;

/**
 * Reads the input. Its preconditions are checked once, however it is read, and calls that the caller may not make are
 * refused before their body is read. `canChange` tells whether other processes may change rights while it is.
 */
export function read(preconditions: AnyPreconditions, canChange: boolean): Step {
  return {
    async run(call, next) {
      const precondition = preconditions[call.spec.id];
      let checked = precondition === undefined;
      const precheck = async (parameters: object): Promise<void> => {
        if (!checked) await precondition!(parameters, call.rights.identity);
        checked = true;
        call.input = parameters;
        refuseEarly(call.spec, call.rights.identity, parameters);
        call.input = undefined;
      };
      const { given } = call;
      const input = typeof given === 'function' ? await receive(call, given as Reading, precheck, canChange) : given;
      await precheck(input);
      call.input = input;
      return next(call);
    },
  };
}

async function receive({ rights }: Call, reading: Reading, precheck: (parameters: object) => Promise<void>,
  canChange: boolean): Promise<object>
{
  if (!canChange) return reading(precheck);
  const turn = nodeLoop.turn();
  const input = await reading(precheck);
  if (nodeLoop.turn() !== turn) rights.doubt();
  return input;
}

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
