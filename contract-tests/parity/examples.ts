import { type OperationId, operations } from '../../generated/docs/operations.ts';
import type { OperationSpec } from '../../src/operations/index.ts';
import type { ExampleCall } from '../support/examples.ts';
import type { Input } from './driver.ts';

/** The flat input of a call that is an example in the specification. */
export function exampleInput({ operationId, options }: ExampleCall): Input {
  const { parameters }: OperationSpec = operations[operationId as OperationId];
  const given: Input = { ...options.path, ...options.query, ...options.headers };
  const fields = Object.entries(given).map(([name, value]) =>
    [parameters.find((each) => each.name === name)!.field, value] as const
  );
  return { ...(options.body as object | undefined), ...Object.fromEntries(fields) };
}
