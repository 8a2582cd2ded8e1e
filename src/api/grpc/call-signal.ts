/** Why work for a call was given up: nobody waits for its answer. */
export class CallEnded extends Error {
  readonly status: 'CANCELLED' | 'DEADLINE_EXCEEDED';

  constructor(status: CallEnded['status']) {
    super(status === 'CANCELLED' ? 'the client has gone' : 'the deadline has passed');
    this.name = 'CallEnded';
    this.status = status;
  }
}

/** What a signal needs of a call. */
export interface CancellableCall {
  readonly cancelled: boolean;
  getDeadline(): Date | number;
  once(event: 'cancelled', listener: () => void): unknown;
}

/**
 * A signal that aborts when the client cancels or goes, or its deadline passes. The library ends a call
 * at its deadline by itself and then reports it as cancelled, so the clock says which of the two it was.
 */
export function signalOf(call: CancellableCall): AbortSignal {
  const controller = new AbortController();
  const end = (): void => controller.abort(new CallEnded(isLate(call.getDeadline()) ? 'DEADLINE_EXCEEDED' : 'CANCELLED'));
  if (call.cancelled) end();
  else call.once('cancelled', end);
  return controller.signal;
}

/** Without a deadline it is infinite. */
function isLate(deadline: Date | number): boolean {
  return Date.now() >= Number(deadline);
}
