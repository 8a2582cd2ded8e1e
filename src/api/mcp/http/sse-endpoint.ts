import { type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import { checkMessage } from '../check-message.ts';
import { carrySender, type Sender } from '../core/call-context.ts';
import type { McpCore } from '../core/core.ts';
import { INVALID_REQUEST, McpFault, REFUSED } from '../core/fault.ts';
import { createHandshakeServer } from '../faces/handshake-server.ts';
import type { Message } from '../revisions.ts';
import { type Exchange, Refusal } from './exchange.ts';
import { endWith, type Party } from './party.ts';
import { type Session, Sessions } from './sessions.ts';
import { SseTransport } from './sse-transport.ts';

/** The paths of revision 2024-11-05: `GET /sse`, and `POST /message` with the session in the query. */
export class SseEndpoint {
  readonly #core: McpCore;
  readonly #sessions: Sessions;
  readonly #transports = new Map<string, SseTransport>();

  constructor(core: McpCore, sessions: Sessions) {
    this.#core = core;
    this.#sessions = sessions;
  }

  /** Opens a session that lasts as long as its stream. */
  async open({ request, response, url }: Exchange, party: Party): Promise<void> {
    if (!acceptsEvents(request.headers.accept))
      throw new Refusal(406, REFUSED, 'Not Acceptable: the client must accept text/event-stream');
    const release = this.#sessions.reserve(party.account);
    try {
      const id = Sessions.newId();
      const server = createHandshakeServer(this.#core);
      const session = this.#sessions.add(id, { kind: 'sse', party, close: () => server.close() });
      const transport = new SseTransport(session, response, endpointOf(id, url));
      session.hold();
      this.#transports.set(id, transport);
      server.onclose = () => {
        this.#transports.delete(id);
        this.#sessions.remove(id);
      };
      await server.connect(transport);
      endWith(party, response);
    } finally {
      release();
    }
  }

  /** Receives a message of a session; its response is sent over the stream. */
  post({ response }: Exchange, session: Session, message: Message, sender: Sender): void {
    const parsed = JSONRPCMessageSchema.safeParse(message);
    if (!parsed.success)
      throw new Refusal(400, INVALID_REQUEST, 'Invalid Request: the body is not a valid JSON-RPC message', {
        id: message['id'],
      });
    response.writeHead(202, { 'Content-Type': 'text/plain' }).end('Accepted');
    const transport = this.#transports.get(session.id);
    try {
      transport?.receive(checkMessage(message) as JSONRPCMessage, { authInfo: carrySender(sender) });
    } catch (error) {
      if (!(error instanceof McpFault)) throw error;
      // All responses are sent over the stream, including this one.
      if ('id' in parsed.data && parsed.data.id !== undefined)
        void transport?.send({
          jsonrpc: '2.0',
          id: parsed.data.id,
          error: { code: error.code, message: error.message },
        });
    }
  }

  /** Open streams, for tests. */
  get size(): number {
    return this.#transports.size;
  }
}

/** A client that could show its key only in the URL must do the same for its messages. */
function endpointOf(id: string, url: URL): string {
  const query = new URLSearchParams({ sessionId: id });
  const key = url.searchParams.get('api_key');
  if (key !== null) query.set('api_key', key);
  return `/message?${query.toString()}`;
}

function acceptsEvents(accept: string | undefined): boolean {
  return accept === undefined || /text\/event-stream|text\/\*|\*\/\*/.test(accept);
}
