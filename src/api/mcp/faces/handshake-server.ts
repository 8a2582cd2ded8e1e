import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import { CallToolRequestSchema, CompleteRequestSchema, GetPromptRequestSchema, ListPromptsRequestSchema,
  ListResourcesRequestSchema, ListResourceTemplatesRequestSchema, ListToolsRequestSchema, ReadResourceRequestSchema,
  type ServerNotification, type ServerRequest } from '@modelcontextprotocol/sdk/types.js';
import { type CallContext, senderOf } from '../core/call-context.ts';
import type { McpCore } from '../core/core.ts';

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** One session of the revision that begins with `initialize`. */
export function createHandshakeServer(core: McpCore): Server {
  const { info, instructions, capabilities } = core;
  const server = new Server({ ...info }, { capabilities, instructions });
  server.setRequestHandler(ListToolsRequestSchema,
    ({ params = {} }, extra) => core.listTools(params, contextOf(extra)));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => core.callTool(params, contextOf(extra)));
  server.setRequestHandler(ListResourcesRequestSchema, ({ params = {} }) => core.listResources(params));
  server.setRequestHandler(ListResourceTemplatesRequestSchema, ({ params = {} }) => core.listResourceTemplates(params));
  server.setRequestHandler(ReadResourceRequestSchema,
    ({ params }, extra) => core.readResource(params, contextOf(extra)));
  server.setRequestHandler(ListPromptsRequestSchema, ({ params = {} }) => core.listPrompts(params));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => core.getPrompt(params));
  server.setRequestHandler(CompleteRequestSchema, ({ params }, extra) => core.complete(params, contextOf(extra)));
  return server;
}

function contextOf(extra: Extra): CallContext {
  const token = extra._meta?.progressToken;
  return {
    sender: senderOf(extra.authInfo),
    signal: extra.signal,
    // A client that has disconnected receives no progress, which is no reason to abort the work.
    report: token === undefined
      ? undefined
      : (step) =>
        extra.sendNotification({ method: 'notifications/progress', params: { ...step, progressToken: token } }).catch(
          () => undefined
        ),
  };
}
