import { readFile } from 'node:fs/promises';
import { BUILT_IN_NAMES, type CoreOptions, createCore, type CustomTool, HANDSHAKE, type JsonSchema, type McpCore,
  operationOf, parseCustomTools, parseToolset, pinRevision, type Revisions, type ToolSchemas,
  type Toolset } from '../../api/mcp/index.ts';
import type { McpDescription } from '../../docs/index.ts';
import { ConfigError } from '../../lib/setting-values.ts';
import type { Settings } from '../settings/index.ts';
import { BUILD_VERSION } from '../version.ts';
import type { ServedService } from './context.ts';
import { mcpAnswerBytes } from './limits.ts';

/** Most bytes of the file with custom tools. */
const MAX_FILE_BYTES = 1_048_576;

/** MCP as both of its transports serve it. */
export interface ServedMcp {
  readonly core: McpCore;
  readonly revisions: Revisions;
}

/** The methods of MCP over the service's operations. Throws `ConfigError` for an invalid pin or file of tools. */
export async function createMcp(
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
export function describeMcp({ service }: ServedService, { core, revisions }: ServedMcp,
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
    ...(description === '' ? {} : { description }),
    ...(mcp.serverHomepage === '' ? {} : { websiteUrl: mcp.serverHomepage }),
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
