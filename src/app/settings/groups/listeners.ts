import { parseAddress } from '../../../lib/address.ts';
import { address, boolean, byteSize, duration, integer, listOf, type Lookup, oneOf, optional, setting,
  text } from '../kinds.ts';

/** Access modes (contract, section 1): `wr` allows everything. */
export const accessMode = oneOf(['read', 'write', 'wr'], { rw: 'wr' });

const serverMode = (lookup: Lookup): 'read' | 'write' | 'wr' => lookup('database.mode');

/** A protocol's own access mode; the default is `SVC_MODE` (contract, section 1). */
const protocolMode = (env: string, protocol: string) =>
  setting(accessMode, serverMode, env, `access mode of ${protocol}`, { fallbackText: 'as `SVC_MODE`' });

export const http = {
  enabled: setting(boolean, true, 'SVC_HTTP_ENABLED', 'serve HTTP', { flag: 'http-enabled' }),
  addr: setting(address('with sockets'), parseAddress(':11023')!, ['SVC_HTTP_ADDR', 'SVC_ADDR'], 'HTTP listen address',
    { flag: 'http-addr', portEnv: 'SVC_HTTP_PORT' }),
  mode: protocolMode('SVC_API_MODE', 'HTTP'),
  compression: setting(boolean, true, 'SVC_HTTP_COMPRESSION',
    'compress responses over 1 KiB for clients that accept it; off where a proxy does'),
  console: setting(boolean, true, 'SVC_CONSOLE', 'serve the console at `/console`, and a page with links at `/`'),
};

export const grpc = {
  enabled: setting(boolean, true, 'SVC_GRPC_ENABLED', 'serve gRPC', { flag: 'grpc-enabled' }),
  addr: setting(address('with sockets'), parseAddress(':11024')!, 'SVC_GRPC_ADDR', 'gRPC listen address', {
    flag: 'grpc-addr',
    portEnv: 'SVC_GRPC_PORT',
  }),
  mode: protocolMode('SVC_GRPC_MODE', 'gRPC'),
  reflection: setting(boolean, true, 'SVC_GRPC_REFLECTION', 'offer gRPC reflection'),
  maxMessageBytes: setting(byteSize(1024, 2 ** 31 - 1), 67_108_864, 'SVC_GRPC_MAX_MESSAGE_BYTES',
    'largest gRPC message, in bytes'),
};

export const graphql = {
  enabled: setting(boolean, true, 'SVC_GRAPHQL_ENABLED', 'serve GraphQL at `/graphql`'),
  playground: setting(boolean, true, 'SVC_GRAPHQL_PLAYGROUND', 'serve the playground at `/playground`'),
};

/** Extreme mode and its HTTP/3 listener have one switch (decisions, section 1). */
export const extreme = {
  enabled: setting(boolean, false, ['SVC_EXTREME', 'SVC_HTTP3_ENABLED'],
    'extreme mode: revisions stored as deltas, writes that share a sync, and HTTP/3 where there are a certificate ' +
      'and the package for it', { flag: 'http3-enabled', yaml: ['extreme', 'http3.enabled'] }),
};

export const http3 = {
  addr: setting(address('tcp only'), parseAddress(':11443')!, 'SVC_HTTP3_ADDR', 'HTTP/3 listen address', {
    flag: 'http3-addr',
  }),
  mode: protocolMode('SVC_HTTP3_MODE', 'HTTP/3'),
};

export const mcp = {
  enabled: setting(boolean, true, 'SVC_MCP_ENABLED', 'serve MCP', { flag: 'mcp-enabled' }),
  addr: setting(address('tcp only'), parseAddress(':9000')!, 'SVC_MCP_ADDR', 'MCP listen address', {
    flag: 'mcp-addr',
  }),
  stdio: setting(boolean, false, 'SVC_MCP_STDIO',
    'serve MCP over standard input and output, instead of the other listeners', { flag: 'mcp-stdio' }),
  mode: protocolMode('SVC_MCP_MODE', 'MCP'),
  config: setting(text, '', 'SVC_MCP_CONFIG', 'YAML file with custom tools'),
  toolset: setting(listOf(text), ['core'], 'SVC_MCP_TOOLSET',
    'tools that are listed: `core` (a dozen for models), `full` (one for each operation), or names, separated by ' +
      'commas'),
  builtinTools: setting(boolean, true, 'SVC_MCP_BUILTIN_TOOLS', 'show the built-in tools'),
  protocolVersion: setting(optional(oneOf(['2026-07-28', '2025-11-25'])), undefined, 'SVC_MCP_PROTOCOL_VERSION',
    'pins one protocol revision'),
  apiKeyEnabled: setting(boolean, false, 'SVC_MCP_API_KEY_ENABLED', 'require an MCP key'),
  apiKeys: setting(listOf(text), [], 'SVC_MCP_API_KEYS', 'MCP keys, as `key:name,…`', { secret: true }),
  apiKeyCacheTtl: setting(duration(), 60_000, 'SVC_MCP_API_KEY_CACHE_TTL', 'how long a checked key is cached'),
  rateLimitEnabled: setting(boolean, false, 'SVC_MCP_RATE_LIMIT_ENABLED', 'limit the rate of MCP requests'),
  rateLimitRequests: setting(integer(1), 100, 'SVC_MCP_RATE_LIMIT_REQUESTS', 'MCP requests in each window'),
  rateLimitWindow: setting(duration(1), 60_000, 'SVC_MCP_RATE_LIMIT_WINDOW', 'window of the MCP limit'),
  rateLimitBurst: setting(integer(0), 20, 'SVC_MCP_RATE_LIMIT_BURST', 'MCP requests above the limit'),
  rateLimitBy: setting(oneOf(['ip', 'api_key', 'session']), 'ip', 'SVC_MCP_RATE_LIMIT_BY',
    'what the MCP limit counts by'),
  maxAnswerTokens: setting(integer(256, 10_000_000), 25_000, 'SVC_MCP_MAX_ANSWER_TOKENS',
    'maximum tokens, of 4 bytes each, in the response of a tool'),
  serverName: setting(text, 'quire', 'SVC_MCP_SERVER_NAME', 'name of the MCP server', {
    yaml: ['mcp.serverInfo.name'],
  }),
  serverDescription: setting(text, '', [], 'description of the MCP server', { yaml: ['mcp.serverInfo.description'] }),
  serverVendor: setting(text, '', [], 'vendor that the MCP server names', { yaml: ['mcp.serverInfo.vendor'] }),
  serverHomepage: setting(text, '', [], 'home page that the MCP server names', { yaml: ['mcp.serverInfo.homepage'] }),
  instructions: setting(text, '', 'SVC_MCP_INSTRUCTIONS', 'instructions of the MCP server for models'),
};
