import type { Caller } from '../../../operations/index.ts';

/** The sender of a request, known before the request is read. */
export type Sender = Omit<Caller, 'signal'>;

/** One step of a long call, as `notifications/progress` reports it. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** What the core knows of a request besides its parameters. */
export interface CallContext {
  readonly sender: Sender;
  /** Aborts when the client cancels the request or, without sessions, disconnects. */
  readonly signal: AbortSignal;
  /** Absent if the client did not request progress. */
  readonly report?: (step: Progress) => Promise<void>;
}

/** The caller for the operations that a request invokes. */
export function callerOf({ sender, signal }: CallContext): Caller {
  return { ...sender, signal };
}
