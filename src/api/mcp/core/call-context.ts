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

/**
 * Passes the sender of a request through the SDKs to the handlers: both SDKs pass on the `auth` of a request unchanged.
 */
export interface CarriedSender {
  readonly token: string;
  readonly clientId: string;
  readonly scopes: string[];
  readonly extra: { readonly sender: Sender };
}

export function carrySender(sender: Sender): CarriedSender {
  return { token: '', clientId: '', scopes: [], extra: { sender } };
}

/** The sender that a transport attached. */
export function senderOf(auth: { readonly extra?: Readonly<Record<string, unknown>> } | undefined): Sender {
  const sender = auth?.extra?.['sender'];
  if (sender === undefined) throw new Error('a transport passed a request on without its sender');
  return sender as Sender;
}
