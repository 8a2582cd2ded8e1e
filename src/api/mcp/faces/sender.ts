import type { Sender } from '../core/call-context.ts';

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
