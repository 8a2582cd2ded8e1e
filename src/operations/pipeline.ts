import type { Call, Next, Step } from './call.ts';
import type { Handler } from './handler.ts';
import type { OperationSpec } from './spec.ts';

/**
 * The steps of every call in every protocol, the outermost first. Each is in a file of `steps/`; what it needs to know
 * of an operation is a fact of the specification. Beside them, only the correction of queries wraps handlers
 * (`src/docs/spell`).
 */
export const PIPELINE = [
  /** A span, while calls are traced. */
  'trace',
  /** Metrics, audit log and alarms learn the outcome. */
  'observe',
  /** With several nodes: what the others have committed is applied. */
  'follow',
  /** Origin, access mode and identity. */
  'identify',
  /** Failures of the store get the codes of the service; until the service is ready, calls are refused. */
  'store',
  /** The input, with its preconditions; the caller is identified again if that took time. */
  'read',
  /** A read waits for a turn of the event loop that has time left. */
  'turn',
  /** Callers without the permission learn nothing from the validation. */
  'refuse',
  /** The input is checked and completed. */
  'validate',
  /** The permission for the whole input, with what of it depends on what is stored. */
  'authorize',
  /** Warnings of the validation are added to the response. */
  'warn',
  /** A response that is produced while it is sent ends with the permission. */
  'supervise',
  /** Fields that the caller may not read are left out. */
  'withhold',
  /** The page of a list. */
  'page',
  /** The permission for a read is checked again before anything is returned. */
  'confirm',
  /** Time, and the size of the response. */
  'limit',
  /** A read of an index that other nodes hold is answered by one of them. */
  'elsewhere',
  /** Searches are counted and timed. */
  'count',
  /** A read that meets an index which is loading is repeated when it serves. */
  'patience',
  /** Requests that name an LSN wait for it; writes return theirs. */
  'session',
  /** Searches wait for a place. */
  'gate',
  /** A write resolves when it can be found. */
  'caughtUp',
  /** Reads of documents are noted. */
  'note',
] as const;

export type StepName = (typeof PIPELINE)[number];

/**
 * The steps of a call that another node forwards. That node has read and checked its input, observes it, and shapes its
 * answer; rights are decided by both.
 */
export const FORWARDED: readonly StepName[] = ['follow', 'identify', 'store', 'read', 'turn', 'authorize', 'confirm',
  'limit', 'elsewhere', 'count', 'patience', 'session', 'gate', 'caughtUp', 'note'];

/** The steps of a service. One that is absent does nothing. */
export type Steps = { readonly [Name in StepName]?: Step | undefined };

/** The steps that apply to an operation, in order, around its handler; `refuse` stops calls that have none. */
export function composeSteps(steps: Steps, spec: OperationSpec, handler: Handler<object, unknown> | undefined,
  names: readonly StepName[] = PIPELINE): Next
{
  const innermost: Next = (call: Call) => handler!(call.input!, call.context);
  return names.map((name) => steps[name]).reduceRight<Next>((next, step) => {
    if (step === undefined || step.appliesTo?.(spec) === false) return next;
    return (call) => step.run(call, next);
  }, innermost);
}
