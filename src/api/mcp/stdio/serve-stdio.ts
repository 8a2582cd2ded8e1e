import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { randomUUID } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import type { Log } from '../../../lib/log.ts';
import { checkMessage } from '../check-message.ts';
import type { Sender } from '../core/call-context.ts';
import type { McpCore } from '../core/core.ts';
import { createStatelessServer } from '../faces/stateless-server.ts';
import { checkStateless, HANDSHAKE, isStatelessMessage, type Revisions } from '../revisions.ts';
import { LineTransport } from './line-transport.ts';

export interface StdioOptions {
  readonly core: McpCore;
  readonly revisions: Revisions;
  readonly input: Readable;
  readonly output: Writable;
  /** Most bytes of a message. */
  readonly maxBytes: number;
  readonly log: Log;
}

/** MCP over standard input and output. */
export interface StdioServer {
  /** Resolves when the client has closed the input and every request is answered. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

/** Serves one client over a pair of streams, in the revision of its first message. */
export function serveOverStdio({ core, revisions, input, output, maxBytes, log }: StdioOptions): StdioServer {
  const ended = Promise.withResolvers<void>();
  const transport = new LineTransport({
    input,
    output,
    maxBytes,
    serverInfo: core.info,
    check: (message) => {
      if (isStatelessMessage(message)) checkStateless(message, revisions);
      return checkMessage(message);
    },
  });
  const handle = serveStdio(() => createStatelessServer(core, localSender), {
    transport,
    legacy: revisions.supported.includes(HANDSHAKE) ? 'serve' : 'reject',
    onerror: (error) => log.debug({ err: error }, 'MCP message was refused'),
  });
  const { onclose } = transport;
  transport.onclose = () => {
    onclose?.();
    ended.resolve();
  };
  return { ended: ended.promise, stop: () => handle.close() };
}

/** The user that started the server is its client, and could read its database directly as well. */
function localSender(): Sender {
  return { protocol: 'mcp', requestId: randomUUID().replaceAll('-', '').slice(0, 16), trustedAs: 'stdio' };
}
