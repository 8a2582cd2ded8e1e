import { ServiceError } from '../../../errors/index.ts';
import { clientNetwork } from '../../../lib/trusted-proxies.ts';
import { nodeLoop } from '../../../lib/turns.ts';
import { createQuota, isDeeper, type QuotaHeaders } from '../../../operations/index.ts';
import { callerOf, type HttpContext, notAllowed, readJson } from '../../http/index.ts';
import type { Sender } from '../core/call-context.ts';
import { McpFault, Refusal, REFUSED } from '../core/fault.ts';
import { checkMessage, checkStateless, HANDSHAKE, isStatelessMessage, type Message, STATELESS } from '../messages.ts';
import type { Identity } from './authenticator.ts';
import type { ListenerOptions, McpRateLimit } from './listener.ts';
import { ownerOf, type Party, partyOf, Sessions } from './sessions.ts';
import { SseEndpoint } from './sse.ts';
import { isStateless, requireSessionId, StatelessEndpoint, StreamableEndpoint } from './streamable.ts';

/** Serves MCP over HTTP with the packages of the protocol, which `createMcpListener` loads with the first request. */
export class McpService {
  readonly sessions: Sessions;
  readonly #options: ListenerOptions;
  readonly #sse: SseEndpoint;
  readonly #streamable: StreamableEndpoint;
  readonly #stateless: StatelessEndpoint;
  readonly #quota: ((key: string) => QuotaHeaders) | undefined;
  #stopping = false;

  constructor(options: ListenerOptions) {
    const { core, clock, log, rateLimit } = options;
    this.#options = options;
    this.sessions = new Sessions(clock);
    this.#sse = new SseEndpoint(core, this.sessions);
    this.#streamable = new StreamableEndpoint(core, this.sessions, log);
    this.#stateless = new StatelessEndpoint(core, log);
    this.#quota = rateLimit.enabled ? createQuota(rateLimit) : undefined;
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

  async serve(ctx: HttpContext): Promise<void> {
    if (this.#stopping)
      throw new ServiceError('unavailable', 'the service is stopping', { headers: { Connection: 'close' } });
    const allowed = this.#routes()[ctx.path];
    if (allowed === undefined) throw new ServiceError('not_found', 'not found; MCP is served at /mcp');
    if (!allowed.includes(ctx.method)) throw notAllowed(ctx.method, allowed);
    const identity = await this.#identify(ctx);
    if (this.#quota !== undefined) ctx.set(this.#quota(this.#countedBy(ctx, identity)));
    if (!identity.ok) throw this.#strange(ctx, identity);
    const sender = senderOf(ctx, identity, () => this.#confirm(ctx, identity));
    const party = this.#partyOf(ctx, identity);
    if (ctx.path === '/sse') await this.#sse.open(ctx, party);
    else if (ctx.path === '/message') await this.#postMessage(ctx, party, sender);
    else if (ctx.method === 'POST') await this.#post(ctx, party, sender);
    else await this.#serveSession(ctx, party, sender);
  }

  #identify(ctx: HttpContext): Promise<Identity> {
    return this.#options.authenticator.identify(ctx.req, queryOf(ctx), ctx.path !== '/mcp');
  }

  /**
   * What a request is counted by. One without a valid key or session is counted by its address, so inventing a key or a
   * session gains nothing.
   */
  #countedBy(ctx: HttpContext, identity: Identity): string {
    const { by }: McpRateLimit = this.#options.rateLimit;
    const session = by === 'session' ? this.#sessionOf(ctx, identity) : undefined;
    if (session !== undefined) return `session ${session}`;
    if (by === 'api_key' && identity.ok && identity.owner !== undefined) return `key ${identity.owner.name}`;
    return `ip ${clientNetwork(ctx.ip)}`;
  }

  #partyOf(ctx: HttpContext, identity: Identity & { ok: true }): Party {
    const { credential } = identity;
    const shown = credential && `${credential.scheme} ${credential.value}`;
    return partyOf(identity, ctx.ip, shown, () =>
      this.#options.follow(async () => {
        const now = await this.#identify(ctx);
        if (!now.ok) throw new ServiceError('unauthenticated', now.reason);
        return (now.owner ?? now.user)?.expiresAt;
      }));
  }

  #strange(ctx: HttpContext, { reason, credential }: Identity & { ok: false }): ServiceError {
    this.#options.onRefused?.({ ip: ctx.ip, path: ctx.path, userAgent: ctx.headers['user-agent'], credential });
    return new ServiceError('unauthenticated', reason, { headers: { 'WWW-Authenticate': 'Bearer' } });
  }

  /** Paths with their methods; without sessions there is no GET or DELETE. */
  #routes(): Readonly<Record<string, readonly string[] | undefined>> {
    if (!this.#serves(HANDSHAKE)) return { '/mcp': ['POST'] };
    return { '/mcp': ['GET', 'POST', 'DELETE'], '/sse': ['GET'], '/message': ['POST'] };
  }

  #serves(revision: string): boolean {
    return this.#options.revisions.supported.includes(revision);
  }

  async #post(ctx: HttpContext, party: Party, sender: Sender): Promise<void> {
    const { revisions } = this.#options;
    const received = await this.#receive(ctx, party);
    // Invalid parameters are a normal JSON-RPC response.
    const message = refusing(200, received, () => checkMessage(received));
    const stateless = isStateless(ctx, message);
    if (isStatelessMessage(message)) refusing(400, message, () => checkStateless(message, revisions));
    if ((stateless && this.#serves(STATELESS)) || !this.#serves(HANDSHAKE))
      return this.#stateless.serve(ctx, party, sender, message);
    if (message['method'] === 'initialize' && ctx.headers['mcp-session-id'] === undefined)
      return this.#streamable.open(ctx, party, message, sender);
    return this.#serveSession(ctx, party, sender, message);
  }

  async #serveSession(ctx: HttpContext, party: Party, sender: Sender, message?: Message): Promise<void> {
    const session = this.sessions.get(requireSessionId(ctx.headers['mcp-session-id']), 'streamable', party.owner);
    await this.#streamable.serve(ctx, session, party, sender, message);
  }

  async #postMessage(ctx: HttpContext, party: Party, sender: Sender): Promise<void> {
    const id = queryOf(ctx).get('sessionId');
    if (id === null)
      throw new Refusal('invalid_argument', 'Bad Request: sessionId is required, from the event endpoint of /sse', {
        code: REFUSED,
      });
    const session = this.sessions.get(id, 'sse', party.owner);
    this.#sse.post(ctx, session, await this.#receive(ctx, party), sender);
  }

  /**
   * If the message arrived later than its head, its sender is identified again: the key or the user may have been
   * removed meanwhile.
   */
  async #receive(ctx: HttpContext, party: Party): Promise<Message> {
    const turn = nodeLoop.turn();
    const message = await readMessage(ctx, this.#options.maxBodyBytes);
    if (nodeLoop.turn() === turn) return message;
    const now = await this.#identify(ctx);
    if (!now.ok) throw this.#strange(ctx, now);
    if (ownerOf(now) !== party.owner) throw this.#strange(ctx, { ok: false, reason: 'invalid token' });
    return message;
  }

  /** Throws if the sender of a call has lost its key since. */
  async #confirm(ctx: HttpContext, before: Identity & { ok: true }): Promise<void> {
    const now = await this.#identify(ctx);
    if (!now.ok || ownerOf(now) !== ownerOf(before)) throw new ServiceError('unauthenticated', 'invalid token');
  }

  /** The open session of a request, if it belongs to the request's sender. */
  #sessionOf(ctx: HttpContext, identity: Identity): string | undefined {
    if (!identity.ok) return undefined;
    const [id, kind] = ctx.path === '/message'
      ? [queryOf(ctx).get('sessionId'), 'sse' as const]
      : [ctx.headers['mcp-session-id'], 'streamable' as const];
    return typeof id === 'string' ? this.sessions.find(id, kind, ownerOf(identity))?.id : undefined;
  }
}

const queryOf = (ctx: HttpContext): URLSearchParams => new URLSearchParams(ctx.querystring);

/** Nesting depth and values of a message: the SDKs visit messages recursively, and all at once. */
const LIMITS = { maxDepth: 128, maxValues: 200_000 };

/** Reads one JSON-RPC message. Errors: 408, 413, 415, 429, or 400 if the body is not one JSON object. */
async function readMessage(ctx: HttpContext, maxBytes: number): Promise<Message> {
  if (ctx.request.type.trim().toLowerCase() !== 'application/json')
    throw new ServiceError('unsupported_media_type', 'Content-Type must be application/json');
  const message = await readJson(ctx.req, maxBytes, LIMITS);
  if (isDeeper(message, LIMITS.maxDepth))
    throw new ServiceError('invalid_argument',
      `Invalid Request: the message is nested deeper than ${LIMITS.maxDepth} levels`);
  // Batches were removed in revision 2025-06-18.
  if (Array.isArray(message))
    throw new ServiceError('invalid_argument', 'Invalid Request: batches are not part of the supported revisions');
  if (message === null || typeof message !== 'object')
    throw new ServiceError('invalid_argument', 'Invalid Request: the body must be a JSON-RPC message');
  return message as Message;
}

/** An invalid message is rejected before it reaches a server, with the id of the message. */
function refusing<T>(status: number, { id }: Message, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof McpFault)) throw error;
    const { code, message, data } = error;
    throw new Refusal('invalid_argument', message, { status, code, data, id });
  }
}

/** The operator issues MCP keys, so operations require no other credential of their owners. */
function senderOf(ctx: HttpContext, { credential, owner }: Identity & { ok: true },
  confirmTrust: () => Promise<void>): Sender
{
  const sender = { ...callerOf(ctx, 'mcp'), credential };
  return owner === undefined
    ? sender
    : { ...sender, trustedAs: owner.name, trustedUntil: owner.expiresAt, confirmTrust };
}
