import { readFile } from 'node:fs/promises';
import { listenOn, startHttpServer, usualLimits } from '../../api/http/index.ts';
import { Authenticator, BUILT_IN_NAMES, type CoreOptions, createCore, createMcpListener, type CustomTool, HANDSHAKE,
  jsonRpcErrors, type JsonSchema, loadStdio, type McpCore, operationOf, parseCustomTools, parseToolset, pinRevision,
  type Revisions, StaticKeys, type ToolSchemas, type Toolset } from '../../api/mcp/index.ts';
import type { McpDescription } from '../../docs/index.ts';
import { isLoopback } from '../../lib/address.ts';
import { ConfigError } from '../../lib/setting-values.ts';
import { namingSetting } from '../foreground.ts';
import type { Settings } from '../settings/index.ts';
import { BUILD_VERSION } from '../specification.ts';
import type { Listener, ProtocolContext, ServedService } from './context.ts';
import { mcpAnswerBytes, webGuardOf } from './limits.ts';

/** Most bytes of the file with custom tools. */
const MAX_FILE_BYTES = 1_048_576;

/** MCP as both of its transports serve it. */
interface ServedMcp {
  readonly core: McpCore;
  readonly revisions: Revisions;
}

/** The methods of MCP over the service's operations. Throws `ConfigError` for an invalid pin or file of tools. */
async function createMcp(
  { settings, specification, invoke, permits, service, log }: ServedService,
): Promise<ServedMcp> {
  const { mcp, fts } = settings;
  const revisions = pinRevision(mcp.protocolVersion ?? '');
  const inputs = specification.inputs as Readonly<Record<string, JsonSchema>>;
  const core = createCore({
    info: serverInfo(settings),
    instructions: mcp.instructions,
    schemas: await readSchemas(),
    inputs,
    invoke: (isTrusted(settings) ? trusted(invoke) : invoke) as unknown as CoreOptions['invoke'],
    custom: mcp.config === '' ? [] : await readCustomTools(mcp.config, inputs),
    builtInTools: mcp.builtinTools,
    toolset: toolsetOf(mcp.toolset),
    permits: isTrusted(settings) ? (caller) => permits({ ...caller, trustedAs: 'mcp' }) : permits,
    defaultLang: fts.defaultLang,
    answerBytes: mcpAnswerBytes(settings),
    log,
    observe: service.system.observeTool,
  });
  return { core, revisions };
}

/** Whether MCP itself authenticates its callers: by an MCP key, or over stdio as the user of this machine. */
function isTrusted({ mcp }: Settings): boolean {
  return mcp.apiKeyEnabled || mcp.stdio;
}

function trusted(invoke: ServedService['invoke']): ServedService['invoke'] {
  return (id, input, caller) => invoke(id, input, { ...caller, trustedAs: 'mcp' });
}

function toolsetOf(names: readonly string[]): Toolset {
  const { toolset, problem } = parseToolset(names);
  if (problem !== undefined) throw new ConfigError([`SVC_MCP_TOOLSET: ${problem}`]);
  return toolset;
}

/** Lets the service report MCP in its health, configuration and endpoints. */
function describeMcp({ service }: ServedService, { core, revisions }: ServedMcp,
  transport: Pick<McpDescription, 'stdio' | 'sessions'>): void
{
  service.system.describeMcp({
    ...transport,
    tools: core.tools,
    supportedRevisions: revisions.supported,
    revisionPinned: revisions.pinned,
    handshakeRevision: revisions.supported.includes(HANDSHAKE) ? HANDSHAKE : '',
  });
}

/** MCP has no field for the vendor of a server, so it is part of the description. */
function serverInfo({ mcp }: Settings): CoreOptions['info'] {
  const description = [mcp.serverDescription, mcp.serverVendor && `by ${mcp.serverVendor}`].filter((part) =>
    part !== ''
  ).join(', ');
  return {
    name: mcp.serverName,
    version: BUILD_VERSION,
    description: description || undefined,
    websiteUrl: mcp.serverHomepage || undefined,
  };
}

async function readSchemas(): Promise<ToolSchemas> {
  return JSON.parse(
    await readFile(new URL('../../../generated/mcp/tools.json', import.meta.url), 'utf8'),
  ) as ToolSchemas;
}

async function readCustomTools(file: string, inputs: Readonly<Record<string, JsonSchema>>): Promise<CustomTool[]> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError([`SVC_MCP_CONFIG: ${file} cannot be read: ${error.code ?? error.message}`]);
  });
  if (text.length > MAX_FILE_BYTES)
    throw new ConfigError([`SVC_MCP_CONFIG: ${file} is larger than ${MAX_FILE_BYTES} bytes`]);
  return parseCustomTools(file, text, { inputOf: (action) => inputs[operationOf(action)]!, builtIn: BUILT_IN_NAMES });
}

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
