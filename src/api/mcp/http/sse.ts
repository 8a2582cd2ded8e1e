import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { isJSONRPCNotification, isJSONRPCRequest, type JSONRPCMessage, JSONRPCMessageSchema, type MessageExtraInfo,
  type RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { ServerResponse } from 'node:http';
import { whenClosed } from '../../../lib/responses.ts';
import type { HttpContext } from '../../http/index.ts';
import { carrySender, type Sender } from '../core/call-context.ts';
import type { McpCore } from '../core/core.ts';
import { INVALID_REQUEST, McpFault, Refusal, REFUSED } from '../core/fault.ts';
import { createHandshakeServer } from '../faces/handshake-server.ts';
import { checkMessage, type Message } from '../messages.ts';
import { endWith, type Party, type Session, Sessions } from './sessions.ts';

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
  async open(ctx: HttpContext, party: Party): Promise<void> {
    if (!acceptsEvents(ctx.headers.accept))
      throw new Refusal('invalid_argument', 'Not Acceptable: the client must accept text/event-stream', {
        code: REFUSED,
        status: 406,
      });
    const release = this.#sessions.reserve(party.account);
    try {
      const id = Sessions.newId();
      const server = createHandshakeServer(this.#core);
      const session = this.#sessions.add(id, { kind: 'sse', party, close: () => server.close() });
      // The transport writes the response, for as long as the session lasts.
      ctx.respond = false;
      const transport = new SseTransport(session, ctx.res, endpointOf(id, ctx));
      session.hold();
      this.#transports.set(id, transport);
      server.onclose = () => {
        this.#transports.delete(id);
        this.#sessions.remove(id);
      };
      await server.connect(transport);
      endWith(party, ctx.res);
    } finally {
      release();
    }
  }

  /** Receives a message of a session; its response is sent over the stream. */
  post(ctx: HttpContext, session: Session, message: Message, sender: Sender): void {
    const parsed = JSONRPCMessageSchema.safeParse(message);
    if (!parsed.success)
      throw new Refusal('invalid_argument', 'Invalid Request: the body is not a valid JSON-RPC message', {
        code: INVALID_REQUEST,
        id: message['id'],
      });
    ctx.status = 202;
    ctx.set('Content-Type', 'text/plain');
    ctx.body = 'Accepted';
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
function endpointOf(id: string, { querystring }: HttpContext): string {
  const query = new URLSearchParams({ sessionId: id });
  const key = new URLSearchParams(querystring).get('api_key');
  if (key !== null) query.set('api_key', key);
  return `/message?${query.toString()}`;
}

function acceptsEvents(accept: string | undefined): boolean {
  return accept === undefined || /text\/event-stream|text\/\*|\*\/\*/.test(accept);
}

/** Milliseconds between two comments that prevent intermediaries from closing an idle connection. */
const KEEP_ALIVE_MS = 15_000;

/** Unread bytes above which a client is disconnected, because its responses would accumulate without limit. */
const MAX_UNREAD_BYTES = 16 * 2 ** 20;

/**
 * The transport of revision 2024-11-05: responses and notifications are sent over one stream of server-sent events,
 * messages arrive by POST. The SDK has such a transport, too, but it lets unread responses accumulate without limit.
 */
export class SseTransport implements Transport {
  readonly sessionId: string;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  readonly #response: ServerResponse;
  readonly #endpoint: string;
  readonly #session: Pick<Session, 'begin'>;
  /** Requests without a response yet, each with the function that ends it for the session. */
  readonly #pending = new Map<RequestId, () => void>();
  #keepAlive: NodeJS.Timeout | undefined;
  #closed = false;

  /** `endpoint`: the path to which the client must post its messages. */
  constructor(session: Pick<Session, 'id' | 'begin'>, response: ServerResponse, endpoint: string) {
    this.sessionId = session.id;
    this.#session = session;
    this.#response = response;
    this.#endpoint = endpoint;
  }

  async start(): Promise<void> {
    this.#response.writeHead(200, {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-cache, no-transform',
      Connection: 'keep-alive',
      'X-Accel-Buffering': 'no',
    });
    whenClosed(this.#response, () => void this.close());
    if (this.#closed) return;
    this.#write(`event: endpoint\ndata: ${this.#endpoint}\n\n`);
    this.#keepAlive = setInterval(() => this.#write(': keepalive\n\n'), KEEP_ALIVE_MS).unref();
  }

  /** Receives a message that was posted. */
  receive(message: JSONRPCMessage, extra: MessageExtraInfo): void {
    if (isJSONRPCRequest(message)) {
      this.#settle(message.id);
      this.#pending.set(message.id, this.#session.begin());
    } else if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      this.#settle(message.params?.['requestId'] as RequestId); // a cancelled request has no response
    }
    this.onmessage?.(message, extra);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) throw new Error('the client has gone');
    if (!('method' in message) && message.id !== undefined) this.#settle(message.id);
    this.#write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#keepAlive);
    for (const id of [...this.#pending.keys()]) this.#settle(id);
    this.#response.end();
    this.onclose?.();
  }

  #settle(id: RequestId): void {
    this.#pending.get(id)?.();
    this.#pending.delete(id);
  }

  #write(text: string): void {
    this.#response.write(text);
    if (this.#response.writableLength <= MAX_UNREAD_BYTES) return;
    this.onerror?.(new Error(`the client has left more than ${MAX_UNREAD_BYTES} bytes unread`));
    this.#response.destroy();
    void this.close();
  }
}
