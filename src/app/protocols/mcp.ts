import { listenOn, startHttpServer, usualLimits } from '../../api/http/index.ts';
import { Authenticator, createMcpListener, jsonRpcErrors, loadStdio, StaticKeys } from '../../api/mcp/index.ts';
import { isLoopback } from '../../lib/address.ts';
import { namingSetting } from '../foreground.ts';
import type { Listener, ProtocolContext, ServedService } from './context.ts';
import { webGuardOf } from './limits.ts';
import { createMcp, describeMcp } from './mcp-core.ts';

/** MCP over HTTP on its own port; absent if it is switched off. */
export async function serveMcp(context: ProtocolContext): Promise<Listener | undefined> {
  const { settings, service: { access, audit }, clock, log, readAddress, limit, clients } = context;
  const { mcp, limits } = settings;
  if (!mcp.enabled) return undefined;
  const address = listenOn(mcp.addr);
  const served = await createMcp(context);
  const authenticator = new Authenticator({
    required: mcp.apiKeyEnabled,
    keys: new StaticKeys(mcp.apiKeys),
    stored: { find: access.findMcpKey },
    cacheTtl: mcp.apiKeyCacheTtl,
    clock,
    accepts: access.enabled ? access.identify : undefined,
  });
  access.onChange(() => authenticator.forget());
  const mcpListener = createMcpListener({
    ...served,
    clock,
    log,
    readAddress,
    limit,
    authenticator,
    follow: (check) => access.accessWatches.follow(check),
    onRefused: (refused) => audit.observeUnidentified({ ...refused, keysOnly: mcp.apiKeyEnabled }),
    maxBodyBytes: limits.maxBodyBytes,
    compress: settings.http.compression,
    // All tools have one path, so `*`, which allows every page to read, allows nothing here.
    origin: { guard: webGuardOf(settings, mcp.addr, 'nothing'), isOpen: !mcp.apiKeyEnabled && !access.enabled },
    rateLimit: {
      enabled: mcp.rateLimitEnabled,
      requests: mcp.rateLimitRequests,
      windowMs: mcp.rateLimitWindow,
      burst: mcp.rateLimitBurst,
      by: mcp.rateLimitBy,
      clock,
    },
  });
  const server = await namingSetting('SVC_MCP_ADDR',
    () =>
      startHttpServer(mcpListener.listener, address, jsonRpcErrors, {
        tls: context.tls,
        log,
        clients,
        limits: usualLimits(limits.bodyTimeout),
      }));
  warnWhereOpen(context);
  describeMcp(context, served, { stdio: false, sessions: mcpListener.sessions });
  return {
    url: `${server.url}/mcp`,
    async stop(graceMs) {
      await Promise.all([mcpListener.stop(AbortSignal.timeout(graceMs)), server.stop(graceMs)]);
    },
  };
}

/** An open port of MCP lets everyone use all tools, so a start says how to close it. */
function warnWhereOpen({ settings: { mcp, auth }, log }: ProtocolContext): void {
  if (mcp.apiKeyEnabled || auth.enabled || isLoopback(mcp.addr)) return;
  log.warn({},
    'MCP is open to everyone who reaches its port; close it with SVC_MCP_API_KEY_ENABLED, or serve this machine ' +
      'only with SVC_MCP_ADDR=127.0.0.1:9000');
}

/** MCP over this process's standard input and output; ends when the client closes the input. */
export async function serveMcpStdio(context: ServedService): Promise<Listener & { readonly ended: Promise<void> }> {
  const { settings, log } = context;
  const [served, { serveOverStdio }] = await Promise.all([createMcp(context), loadStdio()]);
  const server = serveOverStdio({
    ...served,
    log,
    input: process.stdin,
    output: process.stdout,
    maxBytes: settings.limits.maxBodyBytes,
  });
  describeMcp(context, served, { stdio: true, sessions: () => ({ sse: 0, streamable: 0 }) });
  return { url: 'stdio:', ended: server.ended, stop: () => server.stop() };
}
