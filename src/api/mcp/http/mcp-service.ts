import type { RequestListener } from 'node:http';
import { ServiceError } from '../../../errors/index.ts';
import { presentedCredential } from '../../../lib/headers.ts';
import { createAddressReader, type ReadAddress } from '../../../lib/trusted-proxies.ts';
import { nodeLoop } from '../../../lib/turns.ts';
import { LSN_HEADER, MIN_LSN_HEADER, parseMinLsn } from '../../../operations/index.ts';
import type { Identity } from '../auth/authenticator.ts';
import { checkMessage } from '../check-message.ts';
import type { Sender } from '../core/call-context.ts';
import { INTERNAL_ERROR, INVALID_REQUEST, McpFault, METHOD_NOT_FOUND, REFUSED } from '../core/fault.ts';
import { checkStateless, HANDSHAKE, isStatelessMessage, type Message, STATELESS } from '../revisions.ts';
import { readMessage } from './body.ts';
import { compressJson } from './compression.ts';
import { type Exchange, openExchange, Refusal, sendRefusal } from './exchange.ts';
import type { ListenerOptions } from './listener-options.ts';
import { createOriginGuard } from './origin-guard.ts';
import { ownerOf, type Party, partyOf } from './party.ts';
import { createRateLimit } from './rate-limit.ts';
import { Sessions } from './sessions.ts';
import { SseEndpoint } from './sse-endpoint.ts';
import { createStatelessEndpoint, isStateless, type StatelessEndpoint } from './stateless-endpoint.ts';
import { requireSessionId, StreamableEndpoint } from './streamable-endpoint.ts';

const MAX_URL_BYTES = 8192;

/** Serves MCP over HTTP with the packages of the protocol, which `createMcpListener` loads with the first request. */
export class McpService {
  readonly sessions: Sessions;
  readonly #options: ListenerOptions;
  readonly #sse: SseEndpoint;
  readonly #streamable: StreamableEndpoint;
  readonly #stateless: StatelessEndpoint;
  readonly #guard: ReturnType<typeof createOriginGuard>;
  readonly #limit: ReturnType<typeof createRateLimit>;
  readonly #readAddress: ReadAddress;
  #stopping = false;

  constructor(options: ListenerOptions) {
    const { core, clock, log } = options;
    this.#options = options;
    this.sessions = new Sessions(clock);
    this.#sse = new SseEndpoint(core, this.sessions);
    this.#streamable = new StreamableEndpoint(core, this.sessions, log);
    this.#stateless = createStatelessEndpoint(core, log);
    this.#guard = createOriginGuard(options.origin);
    this.#limit = createRateLimit(options.rateLimit);
    this.#readAddress = options.readAddress ?? createAddressReader([]);
  }

  get held(): number {
    const { sse, streamable } = this.sessions.count();
    return sse + streamable + this.#sse.size + this.#streamable.size;
  }

  async stop(late: AbortSignal): Promise<void> {
    this.#stopping = true;
    // Requests without a session end by themselves, or when the signal aborts.
    const cutOff = (): void => void this.#stateless.stop();
    if (late.aborted) cutOff();
    else late.addEventListener('abort', cutOff, { once: true });
    await this.sessions.stop(late);
  }

  async answer(request: Parameters<RequestListener>[0], response: Parameters<RequestListener>[1]): Promise<void> {
    if (this.#options.compress === true) compressJson(request, response);
    const exchange = openExchange(request, response, this.#readAddress);
    try {
      if (exchange === undefined || (request.url ?? '').length > MAX_URL_BYTES)
        throw new Refusal(400, INVALID_REQUEST, `the URL is not valid, or longer than ${MAX_URL_BYTES} bytes`);
      if (this.#stopping)
        throw new Refusal(503, REFUSED, 'the service is stopping', { headers: { Connection: 'close' } });
      this.#guard(exchange);
      if (request.method === 'OPTIONS') response.writeHead(204).end();
      else {
        await this.#admit(exchange);
        await this.#dispatch(exchange);
      }
    } catch (error) {
      sendRefusal(response, this.#toRefusal(error, exchange?.requestId));
    }
  }

  #toRefusal(error: unknown, requestId: string | undefined): Refusal {
    if (error instanceof Refusal) return error;
    if (error instanceof ServiceError && error.code === 'rate_limited')
      return new Refusal(429, REFUSED, error.message, { headers: error.headers ?? {} });
    if (error instanceof ServiceError && error.code === 'invalid_argument')
      return new Refusal(400, INVALID_REQUEST, error.message);
    this.#options.log.error({ requestId, err: error }, 'MCP request failed');
    return new Refusal(500, INTERNAL_ERROR, 'internal error');
  }

  async #admit({ request, response, ip }: Exchange): Promise<void> {
    const { limit } = this.#options;
    if (limit === undefined) return;
    const credential = presentedCredential(request.headers['x-api-key'], request.headers.authorization);
    const quota = await limit.admit({ protocol: 'mcp', ip, ...(credential && { credential }) });
    for (const [name, value] of Object.entries(quota)) response.setHeader(name, value);
  }

  async #dispatch(exchange: Exchange): Promise<void> {
    const { request, url } = exchange;
    const route = `${request.method ?? ''} ${url.pathname}`;
    const allowed = this.#routes()[url.pathname];
    if (allowed === undefined) throw new Refusal(404, METHOD_NOT_FOUND, 'not found; MCP is served at /mcp');
    if (!allowed.includes(request.method ?? ''))
      throw new Refusal(405, REFUSED, `method ${request.method ?? ''} is not allowed`, {
        headers: { Allow: allowed.join(', ') },
      });
    const identity = await this.#identify(exchange);
    this.#limit(exchange, { identity, session: this.#sessionOf(exchange, identity) });
    if (!identity.ok) throw this.#strange(exchange, identity);
    const sender = senderOf(exchange, identity, () => this.#confirm(exchange, identity));
    const party = this.#partyOf(exchange, identity);
    if (route === 'GET /sse') await this.#sse.open(exchange, party);
    else if (route === 'POST /message') await this.#postMessage(exchange, party, sender);
    else if (route === 'POST /mcp') await this.#post(exchange, party, sender);
    else await this.#serveSession(exchange, party, sender);
  }

  #identify({ request, url }: Exchange): Promise<Identity> {
    return this.#options.authenticator.identify(request, url.searchParams, url.pathname !== '/mcp');
  }

  #partyOf(exchange: Exchange, identity: Identity & { ok: true }): Party {
    const { credential } = identity;
    const shown = credential && `${credential.scheme} ${credential.value}`;
    return partyOf(identity, exchange.ip, shown, () =>
      this.#options.follow(async () => {
        const now = await this.#identify(exchange);
        if (!now.ok) throw new Refusal(401, REFUSED, now.reason);
        return (now.owner ?? now.user)?.expiresAt;
      }));
  }

  #strange({ request, url, ip }: Exchange, { reason, credential }: Identity & { ok: false }): Refusal {
    const userAgent = request.headers['user-agent'];
    this.#options.onRefused?.({
      ip,
      path: url.pathname,
      ...(userAgent !== undefined && { userAgent }),
      ...(credential && { credential }),
    });
    return new Refusal(401, REFUSED, reason, { headers: { 'WWW-Authenticate': 'Bearer' } });
  }

  /** Paths with their methods; without sessions there is no GET or DELETE. */
  #routes(): Readonly<Record<string, readonly string[] | undefined>> {
    if (!this.#serves(HANDSHAKE)) return { '/mcp': ['POST'] };
    return { '/mcp': ['GET', 'POST', 'DELETE'], '/sse': ['GET'], '/message': ['POST'] };
  }

  #serves(revision: string): boolean {
    return this.#options.revisions.supported.includes(revision);
  }

  async #post(exchange: Exchange, party: Party, sender: Sender): Promise<void> {
    const { revisions } = this.#options;
    const message = await this.#read(exchange, party);
    const stateless = isStateless(exchange, message);
    if (isStatelessMessage(message)) refusing(400, message, () => checkStateless(message, revisions));
    if ((stateless && this.#serves(STATELESS)) || !this.#serves(HANDSHAKE))
      return this.#stateless.serve(exchange, party, sender, message);
    if (message['method'] === 'initialize' && exchange.request.headers['mcp-session-id'] === undefined)
      return this.#streamable.open(exchange, party, message, sender);
    return this.#serveSession(exchange, party, sender, message);
  }

  async #serveSession(exchange: Exchange, party: Party, sender: Sender, message?: Message): Promise<void> {
    const session = this.sessions.get(requireSessionId(exchange.request.headers['mcp-session-id']), 'streamable',
      party.owner);
    await this.#streamable.serve(exchange, session, party, sender, message);
  }

  async #postMessage(exchange: Exchange, party: Party, sender: Sender): Promise<void> {
    const id = exchange.url.searchParams.get('sessionId');
    if (id === null)
      throw new Refusal(400, REFUSED, 'Bad Request: sessionId is required, from the event endpoint of /sse');
    const session = this.sessions.get(id, 'sse', party.owner);
    this.#sse.post(exchange, session, await this.#receive(exchange, party), sender);
  }

  /**
   * If the message arrived later than its head, its sender is identified again: the key or the user may have been
   * removed meanwhile.
   */
  async #receive(exchange: Exchange, party: Party): Promise<Message> {
    const turn = nodeLoop.turn();
    const message = await readMessage(exchange.request, this.#options.maxBodyBytes);
    if (nodeLoop.turn() === turn) return message;
    const now = await this.#identify(exchange);
    if (!now.ok) throw this.#strange(exchange, now);
    if (ownerOf(now) !== party.owner) throw this.#strange(exchange, { ok: false, reason: 'invalid token' });
    return message;
  }

  /** Throws if the sender of a call has lost its key since. */
  async #confirm(exchange: Exchange, before: Identity & { ok: true }): Promise<void> {
    const now = await this.#identify(exchange);
    if (!now.ok || ownerOf(now) !== ownerOf(before)) throw new ServiceError('unauthenticated', 'invalid token');
  }

  /** Invalid parameters are a normal JSON-RPC response, so the HTTP status is 200. */
  async #read(exchange: Exchange, party: Party): Promise<Message> {
    const message = await this.#receive(exchange, party);
    return refusing(200, message, () => checkMessage(message));
  }

  /** The open session of a request, if it belongs to the request's sender. */
  #sessionOf({ request, url }: Exchange, identity: Identity): string | undefined {
    if (!identity.ok) return undefined;
    const header = request.headers['mcp-session-id'];
    const [id, kind] = url.pathname === '/message'
      ? [url.searchParams.get('sessionId'), 'sse' as const]
      : [header, 'streamable' as const];
    return typeof id === 'string' ? this.sessions.find(id, kind, ownerOf(identity))?.id : undefined;
  }
}

/** An invalid message is rejected before it reaches a server, with the id of the message. */
function refusing<T>(status: number, message: Message, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof McpFault)) throw error;
    throw new Refusal(status, error.code, error.message, {
      id: message['id'],
      ...(error.data === undefined ? {} : { data: error.data }),
    });
  }
}

function senderOf({ request, response, requestId, ip }: Exchange, identity: Identity & { ok: true },
  confirmTrust: () => Promise<void>): Sender
{
  const minLsn = parseMinLsn(request.headers[MIN_LSN_HEADER.toLowerCase()]);
  const userAgent = request.headers['user-agent'];
  const traceparent = request.headers['traceparent'];
  const { credential, owner } = identity;
  return {
    protocol: 'mcp',
    requestId,
    ip,
    ...(typeof traceparent === 'string' && { traceparent }),
    ...(minLsn === undefined ? {} : { minLsn }),
    // For a stream of events, the headers are sent before the call writes anything, so the LSN cannot be added.
    onLsn: (lsn) => void (response.headersSent || response.setHeader(LSN_HEADER, String(lsn))),
    ...(userAgent === undefined ? {} : { userAgent }),
    ...(credential === undefined ? {} : { credential }),
    // The operator issues MCP keys, so operations require no other credential.
    ...(owner === undefined ? {} : { trustedAs: owner.name, trustedUntil: owner.expiresAt, confirmTrust }),
  };
}
