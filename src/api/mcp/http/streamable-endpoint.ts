import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Log } from '../../../lib/log.ts';
import { whenClosed } from '../../../lib/responses.ts';
import { carrySender, type Sender } from '../core/call-context.ts';
import type { McpCore } from '../core/core.ts';
import { REFUSED, SESSION_NOT_FOUND } from '../core/fault.ts';
import { createHandshakeServer } from '../faces/handshake-server.ts';
import { HANDSHAKE, type Message } from '../revisions.ts';
import { type Exchange, Refusal } from './exchange.ts';
import { endWith, type Party } from './party.ts';
import { type Session, Sessions } from './sessions.ts';

/** Streamable HTTP of the revision with sessions: one server and one SDK transport for each session. */
export class StreamableEndpoint {
  readonly #core: McpCore;
  readonly #sessions: Sessions;
  readonly #log: Log;
  readonly #transports = new Map<string, StreamableHTTPServerTransport>();

  constructor(core: McpCore, sessions: Sessions, log: Log) {
    this.#core = core;
    this.#sessions = sessions;
    this.#log = log;
  }

  /** Handles `initialize` and opens the session that begins with it. */
  async open(exchange: Exchange, party: Party, message: Message, sender: Sender): Promise<void> {
    const release = this.#sessions.reserve(party.account);
    const server = createHandshakeServer(this.#core);
    try {
      const transport = this.#createTransport(server, party);
      await handle(transport, exchange, sender, inOurRevision(message));
      // A rejected request, for example because of its headers, has opened no session.
      if (transport.sessionId === undefined) await server.close();
    } finally {
      release();
    }
  }

  /** A further request of a session: a message, the stream from the server, or the end of the session. */
  async serve(exchange: Exchange, session: Session, party: Party, sender: Sender, message?: Message): Promise<void> {
    const transport = this.#transports.get(session.id);
    if (transport === undefined) throw new Refusal(404, SESSION_NOT_FOUND, 'Session not found');
    this.#sessions.keepFor(session, party);
    const isStream = exchange.request.method === 'GET';
    whenClosed(exchange.response, isStream ? session.hold() : session.begin());
    if (isStream) endWith(party, exchange.response);
    await handle(transport, exchange, sender, message);
  }

  /** Open sessions, for tests. */
  get size(): number {
    return this.#transports.size;
  }

  #createTransport(server: Server, party: Party): StreamableHTTPServerTransport {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => Sessions.newId(),
      onsessioninitialized: (id) => {
        this.#transports.set(id, transport);
        this.#sessions.add(id, { kind: 'streamable', party, close: () => server.close() });
      },
    });
    server.onclose = () => {
      const { sessionId } = transport;
      if (sessionId === undefined) return;
      this.#transports.delete(sessionId);
      this.#sessions.remove(sessionId);
    };
    server.onerror = (error) => this.#log.debug({ err: error }, 'MCP message was refused');
    void server.connect(transport as Transport);
    return transport;
  }
}

async function handle(transport: StreamableHTTPServerTransport, { request, response }: Exchange, sender: Sender,
  message?: Message): Promise<void>
{
  request.auth = carrySender(sender);
  await transport.handleRequest(request, response, message);
}

/**
 * The SDK would also agree to older revisions. This server has one revision with sessions, and a client that does not
 * support it learns so from the response.
 */
function inOurRevision(message: Message): Message {
  const params = message['params'];
  if (params === null || typeof params !== 'object' ||
    typeof (params as Record<string, unknown>)['protocolVersion'] !== 'string') return message;
  return { ...message, params: { ...params, protocolVersion: HANDSHAKE } };
}

export function requireSessionId(header: string | string[] | undefined): string {
  if (typeof header === 'string' && header !== '') return header;
  throw new Refusal(400, REFUSED,
    'Bad Request: the header Mcp-Session-Id is required, as the response to initialize had it');
}
