import type { Metadata } from '@grpc/grpc-js';
import { presentedCredential } from '../../lib/credential.ts';
import type { ReadAddress } from '../../lib/trusted-proxies.ts';
import type { Caller, Sender } from '../../operations/index.ts';

/** What adapters need of a call, whichever kind it is. */
export interface IncomingCall {
  readonly metadata: Metadata;
  getPeer(): string;
}

/** Who calls, as the metadata and the connection tell it. */
export function callerOf(call: IncomingCall, requestId: string, signal: AbortSignal, readAddress: ReadAddress): Caller {
  const traceparent = text(call.metadata, 'traceparent');
  return { ...senderOf(call, readAddress), requestId, signal, ...(traceparent !== undefined && { traceparent }) };
}

/** The same before the call is anything. */
export function senderOf(call: IncomingCall, readAddress: ReadAddress): Sender {
  const { metadata } = call;
  const ip = readAddress(peerAddress(call.getPeer()), metadata.get('x-forwarded-for').join(',') || undefined);
  const userAgent = text(metadata, 'user-agent');
  const credential = presentedCredential(text(metadata, 'x-api-key'), text(metadata, 'authorization'));
  return {
    protocol: 'grpc',
    ...(ip !== undefined && { ip }),
    ...(userAgent !== undefined && { userAgent }),
    ...(credential !== undefined && { credential }),
  };
}

/** A text of the metadata; the first where there are several. */
export function text(metadata: Metadata, name: string): string | undefined {
  const [value] = metadata.get(name);
  return typeof value === 'string' ? value : undefined;
}

/** The address without its port; undefined for a unix socket, which has none. */
function peerAddress(peer: string): string | undefined {
  return /^(.+):\d+$/.exec(peer)?.[1]?.replace(/^\[(.*)\]$/, '$1');
}
