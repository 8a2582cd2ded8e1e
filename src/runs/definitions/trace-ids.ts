import { createHash } from 'node:crypto';
import { currentTracing } from '../../lib/tracing.ts';

/** A run's id is a UUID, whose 128 bits are the id of its trace. */
export function traceIdOf(runId: string): string {
  return runId.replaceAll('-', '');
}

/**
 * Of an attempt, or of the part of it after its first approval step and so on. Derived from the run, so it is known
 * before the attempt starts and the same on every server; nothing has to be stored.
 */
export function attemptSpanId(runId: string, attempt: number, part = 0): string {
  return createHash('sha256').update(`attempt ${attempt}${part === 0 ? '' : `, part ${part},`} of ${runId}`).digest(
    'hex',
  ).slice(0, 16);
}

/** The value of `TRACEPARENT` for the steps of an attempt; undefined if its trace is not recorded. */
export function traceparentOf(runId: string, attempt: number, part = 0): string | undefined {
  const traceId = traceIdOf(runId);
  return currentTracing()?.samples(traceId) === true
    ? `00-${traceId}-${attemptSpanId(runId, attempt, part)}-01`
    : undefined;
}
