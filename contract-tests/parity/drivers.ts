import type { DocsServer } from '../../src/testkit/docs-server.ts';
import { mcpUrl } from '../../src/testkit/mcp-clients.ts';
import type { Credential, Driver } from './driver.ts';
import { graphqlDriver } from './graphql-driver.ts';
import { grpcDriver } from './grpc-driver.ts';
import { mcpDriver, statelessMcpDriver } from './mcp-driver.ts';
import { restDriver } from './rest-driver.ts';

/** Drivers of one server: REST, and the protocols that are compared with it. */
export interface Drivers {
  readonly rest: Driver;
  readonly others: readonly Driver[];
  close(): Promise<void>;
}

/** Creates the drivers of all protocols for one caller; without MCP if MCP does not admit the caller. */
export async function driversOf(server: DocsServer, credential: Credential = {},
  { mcp = true }: { readonly mcp?: boolean } = {}): Promise<Drivers>
{
  const rest = restDriver(server.url, credential);
  const others = [grpcDriver(server.listeners.grpc!.url, credential), graphqlDriver(server.url, credential),
    ...(mcp ? [await mcpDriver(mcpUrl(server), credential), statelessMcpDriver(mcpUrl(server), credential)] : [])];
  const close = async () => void (await Promise.all([rest, ...others].map((driver) => driver.close())));
  return { rest, others, close };
}
