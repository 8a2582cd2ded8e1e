/** Why a call was aborted: no client waits for its response. */
export class CallEnded extends Error {
  readonly status: 'CANCELLED' | 'DEADLINE_EXCEEDED';

  constructor(status: CallEnded['status']) {
    super(status === 'CANCELLED' ? 'the client has gone' : 'the deadline has passed');
    this.name = 'CallEnded';
    this.status = status;
  }
}

/** The part of a call that a signal needs. */
export interface CancellableCall {
  readonly cancelled: boolean;
  getDeadline(): Date | number;
  once(event: 'cancelled', listener: () => void): unknown;
}

/**
 * A signal that aborts when the client cancels or disconnects, or when its deadline passes. The library ends a call at
 * its deadline by itself and then reports it as cancelled, so the clock decides which of the two it was.
 */
export function signalOf(call: CancellableCall): AbortSignal {
  const controller = new AbortController();
  const end = (): void =>
    controller.abort(new CallEnded(isLate(call.getDeadline()) ? 'DEADLINE_EXCEEDED' : 'CANCELLED'));
  if (call.cancelled) end();
  else call.once('cancelled', end);
  return controller.signal;
}

/** Infinite if the call has no deadline. */
function isLate(deadline: Date | number): boolean {
  return Date.now() >= Number(deadline);
}
