import type { Metadata } from '@grpc/grpc-js';
import { presentedCredential } from '../../lib/headers.ts';
import type { ReadAddress } from '../../lib/trusted-proxies.ts';
import type { Caller, Sender } from '../../operations/index.ts';

/** What adapters need of a call, whatever its kind. */
export interface IncomingCall {
  readonly metadata: Metadata;
  getPeer(): string;
}

/** The caller, from the metadata and the connection. */
export function callerOf(call: IncomingCall, requestId: string, signal: AbortSignal, readAddress: ReadAddress): Caller {
  return { ...senderOf(call, readAddress), requestId, signal, traceparent: text(call.metadata, 'traceparent') };
}

/** The same, before the kind of the call is known. */
export function senderOf(call: IncomingCall, readAddress: ReadAddress): Sender {
  const { metadata } = call;
  return {
    protocol: 'grpc',
    ip: readAddress(peerAddress(call.getPeer()), metadata.get('x-forwarded-for').join(',') || undefined),
    userAgent: text(metadata, 'user-agent'),
    credential: presentedCredential(text(metadata, 'x-api-key'), text(metadata, 'authorization')),
  };
}

/** A text value of the metadata; the first if there are several. */
export function text(metadata: Metadata, name: string): string | undefined {
  const [value] = metadata.get(name);
  return typeof value === 'string' ? value : undefined;
}

/** The address without its port; undefined for a unix socket, which has none. */
function peerAddress(peer: string): string | undefined {
  return /^(.+):\d+$/.exec(peer)?.[1]?.replace(/^\[(.*)\]$/, '$1');
}

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
