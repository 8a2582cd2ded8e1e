import type { Sender } from '../core/call-context.ts';

/**
 * How the sender of a request reaches the handlers through the SDKs: both pass the `auth` of a request on
 * to them, as they find it.
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
