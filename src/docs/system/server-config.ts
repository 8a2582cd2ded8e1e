import { operations } from '../../../generated/docs/operations.ts';
import type { ComplianceStatus, ListEndpointsResponse, ServerConfig } from '../../../generated/docs/sdk/types.gen.ts';
import { API_VERSION as INTERFACE_VERSION } from '../../../generated/docs/version.ts';
import type { Embeddings } from '../embeddings/index.ts';
import type { DocsEnvironment, ServerDescription } from '../environment.ts';

const NO_EMBEDDINGS: ReturnType<Embeddings['describe']> = {
  vectors: { enabled: false, provider: 'none', model: '', dimensions: 0 },
  chunking: { enabled: false, chunkSize: 1500 },
};

/** The settings in effect, without any credential. MCP is reported as off while it is not served. */
export function describeConfig(
  { sql, settings, replication }: Pick<DocsEnvironment, 'sql' | 'settings' | 'replication'>,
  embeddings = NO_EMBEDDINGS,
  mcp?: McpDescription,
): ServerConfig {
  const { protocols, authEnabled, metricsEnabled } = settings.description;
  return {
    version: INTERFACE_VERSION,
    buildVersion: settings.buildVersion,
    databasePath: sql.info.path,
    mode: settings.mode,
    protocols: {
      http: protocols.http,
      grpc: protocols.grpc,
      mcp: { ...protocols.mcp, ...describeMcp(mcp) },
      graphql: { enabled: protocols.graphql.enabled, addr: protocols.http.addr },
      http3: protocols.http3,
    },
    authEnabled,
    metricsEnabled,
    vectorConfig: { ...embeddings.vectors },
    chunkConfig: { ...embeddings.chunking },
    automationsEnabled: settings.automation?.enabled ?? false,
    searchStatsEnabled: settings.searchStats,
    graphqlEnabled: protocols.graphql.enabled,
    temporalEnabled: settings.temporal ?? false,
    spellEnabled: settings.spell?.enabled === true,
    replicationRole: replication?.role ?? '',
  };
}

function describeMcp(mcp: McpDescription | undefined): Omit<ServerConfig['protocols']['mcp'], 'enabled' | 'addr'> {
  const { stdio = false, supportedRevisions = [], revisionPinned = false, handshakeRevision = '' } = mcp ?? {};
  return {
    stdio,
    revision: supportedRevisions[0] ?? '',
    supportedRevisions: [...supportedRevisions],
    revisionPinned,
    handshakeRevision,
  };
}

/** The hardening controls that are off according to the settings at the server's start. */
export function describeCompliance({ production, missing }: ServerDescription['compliance']): ComplianceStatus {
  return { production, compliant: missing.length === 0, missing: [...missing], missingCount: missing.length };
}

/** What the server reports about MCP, once it is served. */
export interface McpDescription {
  /** Number of open sessions by transport. */
  sessions(): { sse: number; streamable: number };
  /** Number of offered tools, built-in and custom. */
  readonly tools: readonly { readonly name: string; readonly description: string }[];
  readonly stdio: boolean;
  /** The revisions that are served, newest first. */
  readonly supportedRevisions: readonly string[];
  readonly revisionPinned: boolean;
  /** The revision that is returned to `initialize`; empty when there is none. */
  readonly handshakeRevision: string;
}

/**
 * Every endpoint of the specification, in its order, and the methods of gRPC and the tools of MCP if these are served.
 * `closed` are those for which the settings require a credential.
 */
export function describeEndpoints(grpc: ListEndpointsResponse['grpc'], closed: ReadonlySet<string>,
  mcp?: McpDescription): ListEndpointsResponse
{
  const http = Object.values(operations).map(({ id, method, path, summary, access }) => ({
    method,
    path,
    description: summary,
    requiresAuth: access !== 'public' || closed.has(id),
  }));
  return { http, grpc, mcp: [...(mcp?.tools ?? [])] };
}
