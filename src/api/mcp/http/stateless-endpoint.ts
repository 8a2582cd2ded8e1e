import { toNodeHandler } from '@modelcontextprotocol/node';
import { classifyInboundRequest, createMcpHandler } from '@modelcontextprotocol/server';
import type { Log } from '../../../lib/log.ts';
import { carrySender, type Sender } from '../core/call-context.ts';
import type { McpCore } from '../core/core.ts';
import { createStatelessServer } from '../faces/stateless-server.ts';
import { isStatelessMessage, type Message } from '../revisions.ts';
import type { Exchange } from './exchange.ts';
import { endWith, type Party } from './party.ts';

/** The only request whose response has no end of its own. */
const LISTEN = 'subscriptions/listen';

/** Whether a request belongs to the revision without sessions, by its `_meta`, its method or its headers. */
export function isStateless({ request }: Exchange, message: Message): boolean {
  if (isStatelessMessage(message)) return true;
  const header = (name: string): string | undefined => [request.headers[name]].flat()[0];
  const [version, method, name] = ['mcp-protocol-version', 'mcp-method', 'mcp-name'].map(header);
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    body: message,
    ...(version === undefined ? {} : { protocolVersionHeader: version }),
    ...(method === undefined ? {} : { mcpMethodHeader: method }),
    ...(name === undefined ? {} : { mcpNameHeader: name }),
  });
  return outcome.kind !== 'legacy';
}

/** Streamable HTTP of the revision without sessions: each request has a server of its own. */
export interface StatelessEndpoint {
  serve(exchange: Exchange, party: Party, sender: Sender, message: Message): Promise<void>;
  stop(): Promise<void>;
}

export function createStatelessEndpoint(core: McpCore, log: Log): StatelessEndpoint {
  const handler = createMcpHandler(() => createStatelessServer(core), {
    legacy: 'reject',
    onerror: (error) => log.debug({ err: error }, 'MCP request was refused'),
  });
  const node = toNodeHandler(handler, { onerror: (error) => log.error({ err: error }, 'MCP request failed') });
  return {
    async serve({ request, response }, party, sender, message) {
      if (message['method'] === LISTEN) endWith(party, response);
      request.auth = carrySender(sender);
      await node(request, response as never, message);
    },
    stop: () => handler.close(),
  };
}
