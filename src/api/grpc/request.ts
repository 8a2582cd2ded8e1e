import type { Metadata } from '@grpc/grpc-js';
import { presentedCredential } from '../../lib/credential.ts';
import type { Caller } from '../../operations/index.ts';

/** What adapters need of a call, whichever kind it is. */
export interface IncomingCall {
  readonly metadata: Metadata;
  getPeer(): string;
}

/** Who calls, as the metadata and the connection tell it. */
export function callerOf(call: IncomingCall, requestId: string, signal: AbortSignal): Caller {
  const ip = ipOf(call.getPeer());
  const userAgent = text(call.metadata, 'user-agent');
  const credential = presentedCredential(text(call.metadata, 'x-api-key'), text(call.metadata, 'authorization'));
  return {
    protocol: 'grpc',
    requestId,
    signal,
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
function ipOf(peer: string): string | undefined {
  return /^(.+):\d+$/.exec(peer)?.[1]?.replace(/^\[(.*)\]$/, '$1');
}
