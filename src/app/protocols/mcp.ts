import type { Listener, ProtocolContext } from './context.ts';

/** MCP over HTTP on its own port; absent when it is switched off. */
export function serveMcp(_context: ProtocolContext): Promise<Listener | undefined> {
  return Promise.resolve(undefined);
}
