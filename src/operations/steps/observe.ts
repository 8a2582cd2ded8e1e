import { currentTracing, type SpanStart, type Tracing } from '../../lib/tracing.ts';
import type { Call, Step } from '../call.ts';
import type { Caller, Identity } from '../caller.ts';
import type { OperationSpec } from '../spec.ts';

export const trace: Step = {
  run(call, next) {
    const tracing = currentTracing();
    return tracing === undefined ? next(call) : tracing.within(spanOf(call, tracing), () => next(call));
  },
};

/** HTTP has a span for its request; in other protocols, the call of the operation is the request. */
function spanOf({ spec: { id }, caller: { protocol, traceparent } }: Call, tracing: Tracing): SpanStart {
  return {
    name: id,
    kind: tracing.traceparent() === undefined ? 'server' : 'internal',
    attributes: {
      'quire.operation': id,
      'quire.protocol': protocol,
      ...(protocol === 'grpc' && { 'rpc.system': 'grpc' }),
    },
    parent: traceparent,
  };
}

/** An invocation and its result, for audit and metrics. */
export interface Outcome {
  readonly operation: OperationSpec;
  readonly caller: Caller;
  /**
   * The input as it was passed, possibly unchecked and with secrets: must not be logged as a whole. Absent if it was
   * not read.
   */
  readonly input?: object;
  /** Absent if the caller is not known. */
  readonly identity?: Identity;
  /** Who was let in, where the operation found that out. */
  readonly actor?: string;
  /** Absent when it succeeded. */
  readonly error?: unknown;
  readonly milliseconds: number;
}

/** Reports each call once, when it has ended. `report` must not throw. */
export function observe(report: (outcome: Outcome) => void): Step {
  return {
    async run(call, next) {
      const start = performance.now();
      let error: unknown;
      try {
        return await next(call);
      } catch (thrown) {
        error = thrown;
        throw thrown;
      } finally {
        const { spec, caller, input, isKnown, rights, actor } = call;
        report({
          operation: spec,
          caller,
          milliseconds: performance.now() - start,
          input,
          identity: isKnown ? rights.identity : undefined,
          actor,
          error,
        });
      }
    },
  };
}
