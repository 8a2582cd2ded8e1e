import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { classifyInboundRequest, createMcpHandler } from '@modelcontextprotocol/server';
import type { Log } from '../../../lib/log.ts';
import { whenClosed } from '../../../lib/responses.ts';
import { goneSignal, type HttpContext, sendResponse } from '../../http/index.ts';
import { carrySender, type Sender } from '../core/call-context.ts';
import type { McpCore } from '../core/core.ts';
import { Refusal, REFUSED } from '../core/fault.ts';
import { createHandshakeServer } from '../faces/handshake-server.ts';
import { createStatelessServer } from '../faces/stateless-server.ts';
import { HANDSHAKE, isStatelessMessage, type Message } from '../messages.ts';
import { endWith, type Party, type Session, sessionNotFound, Sessions } from './sessions.ts';

/** Streamable HTTP of the revision with sessions: one server and one SDK transport for each session. */
export class StreamableEndpoint {
  readonly #core: McpCore;
  readonly #sessions: Sessions;
  readonly #log: Log;
  readonly #transports = new Map<string, WebStandardStreamableHTTPServerTransport>();

  constructor(core: McpCore, sessions: Sessions, log: Log) {
    this.#core = core;
    this.#sessions = sessions;
    this.#log = log;
  }

  /** Handles `initialize` and opens the session that begins with it. */
  async open(ctx: HttpContext, party: Party, message: Message, sender: Sender): Promise<void> {
    const release = this.#sessions.reserve(party.account);
    const server = createHandshakeServer(this.#core);
    try {
      const transport = this.#createTransport(server, party);
      await handle(transport, ctx, sender, inOurRevision(message));
      // A rejected request, for example because of its headers, has opened no session.
      if (transport.sessionId === undefined) await server.close();
    } finally {
      release();
    }
  }

  /** A further request of a session: a message, the stream from the server, or the end of the session. */
  async serve(ctx: HttpContext, session: Session, party: Party, sender: Sender, message?: Message): Promise<void> {
    const transport = this.#transports.get(session.id);
    if (transport === undefined) throw sessionNotFound();
    this.#sessions.keepFor(session, party);
    if (ctx.method === 'GET') endWith(party, ctx.res, session.hold());
    else whenClosed(ctx.res, session.begin());
    await handle(transport, ctx, sender, message);
  }

  /** Open sessions, for tests. */
  get size(): number {
    return this.#transports.size;
  }

  #createTransport(server: Server, party: Party): WebStandardStreamableHTTPServerTransport {
    const transport = new WebStandardStreamableHTTPServerTransport({
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

async function handle(transport: WebStandardStreamableHTTPServerTransport, ctx: HttpContext, sender: Sender,
  message?: Message): Promise<void>
{
  await sendResponse(ctx,
    await transport.handleRequest(requestOf(ctx), { authInfo: carrySender(sender), parsedBody: message }));
}

/** The request as the packages take it, without the body, which has been read. */
function requestOf(ctx: HttpContext): Request {
  const { method, headers } = ctx;
  return new Request(`http://localhost${ctx.path}`, {
    method,
    headers: new Headers(headers as Record<string, string>),
    signal: goneSignal(ctx),
  });
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
  throw new Refusal('invalid_argument',
    'Bad Request: the header Mcp-Session-Id is required, as the response to initialize had it', { code: REFUSED });
}

/** The only request whose response has no end of its own. */
const LISTEN = 'subscriptions/listen';

/** Whether a request belongs to the revision without sessions, by its `_meta`, its method or its headers. */
export function isStateless({ headers }: HttpContext, message: Message): boolean {
  if (isStatelessMessage(message)) return true;
  const header = (name: string): string | undefined => [headers[name]].flat()[0];
  const [version, method, name] = ['mcp-protocol-version', 'mcp-method', 'mcp-name'].map(header);
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    body: message,
    protocolVersionHeader: version,
    mcpMethodHeader: method,
    mcpNameHeader: name,
  });
  return outcome.kind !== 'legacy';
}

/** Streamable HTTP of the revision without sessions: each request has a server of its own. */
export class StatelessEndpoint {
  readonly #handler: ReturnType<typeof createMcpHandler>;

  constructor(core: McpCore, log: Log) {
    this.#handler = createMcpHandler(() => createStatelessServer(core), {
      legacy: 'reject',
      onerror: (error) => log.debug({ err: error }, 'MCP request was refused'),
    });
  }

  async serve(ctx: HttpContext, party: Party, sender: Sender, message: Message): Promise<void> {
    if (message['method'] === LISTEN) endWith(party, ctx.res);
    const options = { authInfo: carrySender(sender), parsedBody: message };
    await sendResponse(ctx, await this.#handler.fetch(requestOf(ctx), options));
  }

  stop(): Promise<void> {
    return this.#handler.close();
  }
}
