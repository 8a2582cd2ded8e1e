import type { Listener, ProtocolContext } from './context.ts';

/** gRPC on its own port; absent when it is switched off. */
export function serveGrpc(_context: ProtocolContext): Promise<Listener | undefined> {
  return Promise.resolve(undefined);
}
