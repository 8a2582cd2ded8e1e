import { currentTracing, type SpanStart, type Tracing } from '../../lib/tracing.ts';
import type { Call, Step } from '../call.ts';

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
