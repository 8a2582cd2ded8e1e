import { operations } from '../../generated/docs/operations.ts';
import type { Call, Context, OperationSpec, Step } from '../operations/index.ts';

const TABLE: Readonly<Record<string, OperationSpec>> = operations;

type AnyHandler = (input: object, context: Context) => Promise<unknown>;

/** For tests of one step of the pipeline: an operation's handler behind it, if the operation takes the step. */
export function throughStep(step: Step, id: string, handler: AnyHandler): AnyHandler {
  const spec = TABLE[id]!;
  if (step.appliesTo?.(spec) === false) return handler;
  return (input, context) =>
    step.run({ spec, input, context, caller: context.caller } as Call, () => handler(input, context));
}
