import type { Caller } from '../../../operations/index.ts';

/** Who sent a request, known before the request is read. */
export type Sender = Omit<Caller, 'signal'>;

/** One step of a long call, as `notifications/progress` tells it. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** What the core knows of a request besides its parameters. */
export interface CallContext {
  readonly sender: Sender;
  /** Aborts when the client cancels the request or, without sessions, goes away. */
  readonly signal: AbortSignal;
  /** Absent when the client asked for no progress. */
  readonly report?: (step: Progress) => Promise<void>;
}

/** The caller of the operations that a request needs. */
export function callerOf({ sender, signal }: CallContext): Caller {
  return { ...sender, signal };
}
