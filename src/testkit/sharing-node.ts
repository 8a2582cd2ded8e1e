import { type DocsServer, startDocsServer } from './docs-server.ts';
import { freePort } from './free-port.ts';

/** A node over PostgreSQL that holds its share of the indexes, one copy of each, beside others of the same database. */
export async function startSharingNode(name: string, url: string,
  clock?: { readonly now: () => number }): Promise<DocsServer>
{
  const address = `127.0.0.1:${await freePort()}`;
  return startDocsServer({
    ...(clock && { clock }),
    env: {
      SVC_STORAGE_DRIVER: 'postgres',
      SVC_POSTGRES_URL: url,
      SVC_POSTGRES_POOL: '4',
      SVC_GRPC_ADDR: address,
      SVC_NODE_ADDRESS: address,
      SVC_NODE_NAME: name,
      SVC_REPLICAS: '1',
      SVC_REPLICATION_SECRET: 'a secret that all nodes have in common',
      SVC_MCP_ENABLED: 'false',
    },
  });
}
