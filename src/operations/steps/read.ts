import { nodeLoop } from '../../lib/turns.ts';
import { refuseEarly } from '../authorize.ts';
import type { Call, Reading, Step } from '../call.ts';
import type { InputOf } from '../handler.ts';
import type { Identity } from '../identity.ts';

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
