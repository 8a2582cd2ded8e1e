import { type CallToolResult, type CompleteResult, type GetPromptResult, type ListPromptsResult,
  type ListResourcesResult, type ListResourceTemplatesResult, type ListToolsResult, type ReadResourceResult, Server,
  type ServerContext } from '@modelcontextprotocol/server';
import { type CallContext, type Sender, senderOf } from '../core/call-context.ts';
import type { McpCore } from '../core/core.ts';
import { HANDSHAKE, STATELESS } from '../messages.ts';

/** Lists do not change while the server runs; the contents of a resource do, and may be private. */
const LISTED = { ttlMs: 3_600_000, cacheScope: 'public' } as const;
/** The list of tools contains those that the caller may use, which permissions and embedding providers change. */
const TOOLS = { ttlMs: 300_000, cacheScope: 'private' } as const;
const READ = { ttlMs: 0, cacheScope: 'private' } as const;

/**
 * The server of one request of the revision without sessions; over stdio, of one connection, which may also begin with
 * `initialize`. `sender` is used if the transport carries none.
 */
export function createStatelessServer(core: McpCore, sender?: () => Sender): Server {
  const { info, instructions, capabilities } = core;
  const server = new Server({ ...info }, {
    capabilities,
    supportedProtocolVersions: [STATELESS, HANDSHAKE],
    cacheHints: {
      'tools/list': TOOLS,
      'prompts/list': LISTED,
      'resources/list': LISTED,
      'resources/templates/list': LISTED,
      'server/discover': LISTED,
      'resources/read': READ,
    },
    instructions,
  });
  const contextOf = ({ mcpReq, http }: ServerContext): CallContext => {
    const token = mcpReq._meta?.progressToken;
    return {
      sender: sender?.() ?? senderOf(http?.authInfo),
      signal: mcpReq.signal,
      report: token === undefined
        ? undefined
        : (step) =>
          mcpReq.notify({ method: 'notifications/progress', params: { ...step, progressToken: token } }).catch(() =>
            undefined
          ),
    };
  };
  server.setRequestHandler('tools/list',
    ({ params = {} }, context) => core.listTools(params, contextOf(context)) as Promise<ListToolsResult>);
  server.setRequestHandler('tools/call',
    ({ params }, context) => core.callTool(params, contextOf(context)) as Promise<CallToolResult>);
  server.setRequestHandler('resources/list', ({ params = {} }) => core.listResources(params) as ListResourcesResult);
  server.setRequestHandler('resources/templates/list',
    ({ params = {} }) => core.listResourceTemplates(params) as ListResourceTemplatesResult);
  server.setRequestHandler('resources/read',
    ({ params }, context) => core.readResource(params, contextOf(context)) as Promise<ReadResourceResult>);
  server.setRequestHandler('prompts/list', ({ params = {} }) => core.listPrompts(params) as ListPromptsResult);
  server.setRequestHandler('prompts/get', ({ params }) => core.getPrompt(params) as GetPromptResult);
  server.setRequestHandler('completion/complete',
    ({ params }, context) => core.complete(params, contextOf(context)) as Promise<CompleteResult>);
  return server;
}
