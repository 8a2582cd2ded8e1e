import { type Operations, operations } from '../../../generated/docs/operations.ts';
import { systemTimer, type Timer } from '../../lib/timer.ts';
import { currentTracing } from '../../lib/tracing.ts';
import type { Context, Handlers } from '../../operations/index.ts';
import { IndexLoading } from './index-loading.ts';

type AnyHandler = (input: object, context: Context) => Promise<unknown>;

/** Milliseconds that a search waits for an index that is loading (decision D-130). */
const MAX_WAIT_MS = 5000;

/**
 * Handlers whose searches wait for an index that is loading, so that a client need not retry right after a start or a
 * restore. A read that meets such an index is repeated when the view's indexes have changed, and fails with its error
 * when that takes too long. Writes are never repeated.
 */
export function awaitIndexes<H extends Handlers<Operations>>(handlers: H, timer: Timer = systemTimer): H {
  const wrapped = Object.entries(handlers).map((
    [id, handler],
  ) => [id, operations[id as keyof Operations].effect === 'read' ? patient(handler as AnyHandler, timer) : handler]);
  return Object.fromEntries(wrapped) as H;
}

function patient(handler: AnyHandler, timer: Timer): AnyHandler {
  return async (input, context) => {
    try {
      return await handler(input, context);
    } catch (error) {
      if (!(error instanceof IndexLoading)) throw error;
      const wait = () => retried(() => handler(input, context), error, context.signal, timer);
      const tracing = currentTracing();
      return tracing === undefined ? wait() : tracing.within({ name: 'wait for a loading index' }, wait);
    }
  };
}

/** Throws the last `IndexLoading` when the time has elapsed, and the signal's reason when that aborts. */
async function retried(search: () => Promise<unknown>, first: IndexLoading, signal: AbortSignal,
  timer: Timer): Promise<unknown>
{
  const over = new AbortController();
  const waiting = AbortSignal.any([signal, over.signal]);
  let isLate = false;
  const late = timer.sleep(MAX_WAIT_MS, waiting).then(() => void (isLate = true));
  try {
    for (let loading = first;;) {
      await Promise.race([loading.changed, late]);
      signal.throwIfAborted();
      if (isLate) throw loading;
      try {
        return await search();
      } catch (error) {
        if (!(error instanceof IndexLoading)) throw error;
        loading = error;
      }
    }
  } finally {
    over.abort();
  }
}
