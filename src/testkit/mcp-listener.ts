import { readFile } from 'node:fs/promises';
import { type HttpServer, startHttpServer } from '../api/http/index.ts';
import { Authenticator, type CoreOptions, createCore, createMcpListener, jsonRpcErrors, type McpListener, parseToolset,
  pinRevision, StaticKeys, type StoredKeys, type ToolSchemas } from '../api/mcp/index.ts';
import { DOCS_INPUTS } from '../docs/test-fixture.ts';
import type { Clock, Timer } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import type { ReadAddress } from '../lib/trusted-proxies.ts';
import { createWebGuard } from '../lib/web-guard.ts';
import { AccessWatches } from '../operations/index.ts';

export interface McpFixtureOptions {
  /** The results of the operations; the default returns an empty object. */
  readonly invoke?: CoreOptions['invoke'];
  readonly keys?: readonly string[];
  readonly stored?: StoredKeys;
  readonly cacheTtl?: number;
  readonly rateLimit?: { readonly requests: number; readonly burst: number; readonly by: 'ip' | 'api_key' | 'session' };
  readonly origins?: readonly string[];
  readonly maxBodyBytes?: number;
  readonly compress?: boolean;
  readonly clock?: Clock;
  readonly readAddress?: ReadAddress;
  readonly timer?: Timer;
}

/** MCP over a real HTTP server, with operations that the test provides. */
export interface McpFixture {
  readonly url: URL;
  readonly mcp: McpListener;
  readonly http: HttpServer;
  readonly authenticator: Authenticator;
  stop(graceMs?: number): Promise<void>;
}

export async function serveMcpFixture(options: McpFixtureOptions = {}): Promise<McpFixture> {
  const { clock = { now: () => 1_766_400_000_000 }, keys = [], cacheTtl = 60_000 } = options;
  const core = createCore({
    info: { name: 'fixture', version: '1' },
    instructions: '',
    schemas: JSON.parse(await readFile('generated/mcp/tools.json', 'utf8')) as ToolSchemas,
    inputs: DOCS_INPUTS,
    invoke: options.invoke ?? (async () => ({ value: {}, headers: {} })),
    custom: [],
    builtInTools: true,
    toolset: parseToolset(['full']).toolset,
    permits: async () => () => true,
    defaultLang: 'en',
    log: silentLog,
    ...(options.timer ? { timer: options.timer } : {}),
  });
  const authenticator = new Authenticator({
    required: keys.length > 0 || options.stored !== undefined,
    keys: new StaticKeys(keys),
    cacheTtl,
    clock,
    ...(options.stored ? { stored: options.stored } : {}),
  });
  const accessWatches = new AccessWatches({ onChange: () => () => undefined, clock });
  const mcp = createMcpListener({
    core,
    authenticator,
    clock,
    ...(options.readAddress && { readAddress: options.readAddress }),
    follow: (check) => accessWatches.follow(check),
    revisions: pinRevision(''),
    rateLimit: {
      enabled: options.rateLimit !== undefined,
      requests: 1,
      burst: 0,
      by: 'ip',
      windowMs: 60_000,
      clock,
      ...options.rateLimit,
    },
    origin: {
      guard: createWebGuard({
        origins: options.origins ?? [],
        others: 'nothing',
        names: [],
        remedy: (origin) => `allow ${origin}`,
      }),
      isOpen: keys.length === 0 && options.stored === undefined,
    },
    maxBodyBytes: options.maxBodyBytes ?? 1_000_000,
    ...(options.compress && { compress: true }),
    log: silentLog,
  });
  const http = await startHttpServer(mcp.listener, { host: '127.0.0.1', port: 0 }, jsonRpcErrors);
  return {
    url: new URL('/mcp', http.url),
    mcp,
    http,
    authenticator,
    async stop(graceMs = 1000) {
      await Promise.all([mcp.stop(AbortSignal.timeout(graceMs)), http.stop(graceMs)]);
    },
  };
}
