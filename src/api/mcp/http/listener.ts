import type { Middleware } from 'koa';
import type { RequestListener } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { ServiceError } from '../../../errors/index.ts';
import { isLoopback } from '../../../lib/address.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { plainAddress, type ReadAddress } from '../../../lib/trusted-proxies.ts';
import { askedBy, type WebGuard } from '../../../lib/web-guard.ts';
import type { AccessCheck, AccessWatch, RateLimit, Sender } from '../../../operations/index.ts';
import { allowOrigin, createFramedApp, type RequestState } from '../../http/index.ts';
import type { McpCore } from '../core/core.ts';
import { INTERNAL_ERROR, jsonRpcErrors, Refusal } from '../core/fault.ts';
import type { Revisions } from '../messages.ts';
import type { Authenticator } from './authenticator.ts';
import type * as Service from './mcp-service.ts';
import type { SessionKind } from './sessions.ts';

export interface ListenerOptions {
  readonly core: McpCore;
  readonly revisions: Revisions;
  readonly authenticator: Pick<Authenticator, 'identify'>;
  /** The rate limit of MCP itself. */
  readonly rateLimit: McpRateLimit;
  /** The rate limit that all protocols share, which is checked first. */
  readonly limit?: RateLimit | undefined;
  /** Returns the client's address. Forwarding headers are ignored unless this says which proxies to trust. */
  readonly readAddress?: ReadAddress;
  /** Monitors a credential while a session or stream is open. */
  readonly follow: (check: AccessCheck) => AccessWatch;
  /** Called for each sender that was rejected; must not throw. */
  readonly onRefused?: (refused: RefusedSender) => void;
  readonly origin: OriginOptions;
  readonly maxBodyBytes: number;
  /** Whether responses are compressed for clients that accept it. */
  readonly compress?: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

export interface McpRateLimit {
  readonly enabled: boolean;
  readonly requests: number;
  readonly windowMs: number;
  /** Requests above `requests` that a window allows. */
  readonly burst: number;
  readonly by: 'ip' | 'api_key' | 'session';
  readonly clock: Clock;
}

export interface OriginOptions {
  readonly guard: WebGuard;
  /**
   * True if no credential is required, which is asked for each request: then `Host` is checked on every interface, not
   * only on the loopback interface.
   */
  readonly isOpen: boolean;
}

/** A sender that was rejected, and the path. */
export type RefusedSender = Pick<Sender, 'ip' | 'userAgent' | 'credential'> & { readonly path: string };

/** MCP over HTTP as a request listener, without a server. */
export interface McpListener {
  readonly listener: RequestListener;
  /** Open sessions by transport. */
  sessions(): Record<SessionKind, number>;
  /** Number of objects in memory for open sessions and streams, for tests: 0 when all have ended. */
  held(): number;
  /** Rejects new requests, ends each session once its requests are answered, and all of them when the signal aborts. */
  stop(late: AbortSignal): Promise<void>;
}

const NO_SESSIONS: Readonly<Record<SessionKind, number>> = { sse: 0, streamable: 0 };

/**
 * Loads the service with the first request: its packages would take a tenth of the time of a start, and most servers
 * have no client of MCP.
 */
export function createMcpListener(options: ListenerOptions,
  importService: () => Promise<typeof Service> = loadService): McpListener
{
  let service: Service.McpService | undefined;
  let loading: Promise<Service.McpService> | undefined;
  let stopping: AbortSignal | undefined;

  async function load(): Promise<Service.McpService> {
    const { McpService } = await importService();
    service = new McpService(options);
    // A request that came after the end is rejected like any other.
    if (stopping !== undefined) void service.stop(stopping);
    return service;
  }

  /** Undefined if it cannot be loaded, as while the package is being replaced; the next request tries again. */
  async function loaded(): Promise<Service.McpService | undefined> {
    const own = (loading ??= load());
    try {
      return await own;
    } catch (error) {
      if (loading === own) loading = undefined;
      options.log.error({ err: error }, 'MCP could not be loaded');
      return undefined;
    }
  }

  const app = createFramedApp({
    ...options,
    protocol: 'mcp',
    errors: jsonRpcErrors,
    origins: ownPagesOnly(options.origin),
  });
  app.use(async (ctx) => {
    const ready = service ?? await loaded();
    // The client may have left meanwhile; its session or stream would never end.
    if (ctx.res.destroyed) return;
    if (ready === undefined)
      throw new Refusal('unavailable', 'MCP could not be loaded; the log of the service says why', {
        code: INTERNAL_ERROR,
      });
    await ready.serve(ctx);
  });
  return {
    listener: app.callback(),
    sessions: () => service?.sessions.count() ?? { ...NO_SESSIONS },
    held: () => service?.held ?? 0,
    async stop(late) {
      stopping ??= late;
      if (loading !== undefined) await (await loaded())?.stop(late);
    },
  };
}

const CORS = {
  methods: 'GET, POST, DELETE',
  exposed:
    'Mcp-Session-Id, MCP-Protocol-Version, X-Request-Id, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, ' +
    'X-RateLimit-Reset, WWW-Authenticate',
};

const SHOWN =
  'what a browser asks for to show it, such as a link or an image, opens no session; call MCP from a script or ' +
  'from a program';

/**
 * Rejects requests from pages of other sites. Pages that may only read elsewhere are rejected here, because one path
 * serves all tools, and so is what a browser wants to show.
 */
function ownPagesOnly(options: OriginOptions): Middleware<RequestState> {
  return (ctx, next) => {
    const { origin, host } = ctx.headers;
    const verdict = options.guard({
      host,
      origin,
      anyHost: !options.isOpen && !isOnLoopback(ctx.req.socket.localAddress),
    });
    if (verdict.may !== 'everything') throw new ServiceError('forbidden', verdict.reason);
    if (askedBy(ctx.headers) !== 'script') throw new ServiceError('forbidden', SHOWN);
    return allowOrigin(ctx, next, origin, CORS);
  };
}

function isOnLoopback(local: string | undefined): boolean {
  return isLoopback({ kind: 'tcp', host: plainAddress(local) ?? '', port: 0 });
}

/**
 * The packages that `mcp-service.ts` imports, and before them large parts that they import: the first one is all of
 * zod.
 */
const PACKAGES: readonly (() => Promise<unknown>)[] = [() => import('@modelcontextprotocol/sdk/server/zod-compat.js'),
  () => import('@modelcontextprotocol/sdk/types.js'), () => import('@modelcontextprotocol/sdk/server/index.js'),
  () => import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
  () => import('@modelcontextprotocol/server/validators/ajv'), () => import('@modelcontextprotocol/server')];

/**
 * Imports the service in steps: Node evaluates all modules of an import in one turn of the event loop, in which nobody
 * else's request is served.
 */
export async function loadService(): Promise<typeof Service> {
  for (const load of PACKAGES) {
    await load();
    await setImmediate();
  }
  return import('./mcp-service.ts');
}
