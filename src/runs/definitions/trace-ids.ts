import { createHash } from 'node:crypto';
import { currentTracing } from '../../lib/tracing.ts';

/** A run's id is a UUID, whose 128 bits are the id of its trace. */
export function traceIdOf(runId: string): string {
  return runId.replaceAll('-', '');
}

/** Known before the attempt begins and the same on every server, so that nothing has to be stored. */
export function attemptSpanId(runId: string, attempt: number): string {
  return createHash('sha256').update(`attempt ${attempt} of ${runId}`).digest('hex').slice(0, 16);
}

/** What the steps of an attempt get as `TRACEPARENT`; undefined where its trace is not recorded. */
export function traceparentOf(runId: string, attempt: number): string | undefined {
  const traceId = traceIdOf(runId);
  return currentTracing()?.samples(traceId) === true ? `00-${traceId}-${attemptSpanId(runId, attempt)}-01` : undefined;
}
