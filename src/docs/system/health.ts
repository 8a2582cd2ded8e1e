import type { Health } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import type { McpDescription } from './mcp-description.ts';
import { describePersistence } from './persistence.ts';

/**
 * The state of the service (contract section 4). Throws `unavailable` with
 * `{status: "unhealthy", mode}` in its body when the database does not answer.
 */
export async function checkHealth(
  { sql, settings, replication }: Pick<DocsEnvironment, 'sql' | 'settings' | 'replication'>,
  mcp?: McpDescription,
): Promise<Health> {
  const { mode } = settings;
  if (!(await sql.healthy())) {
    throw new ServiceError('unavailable', 'the database is unreachable', { body: { status: 'unhealthy', mode } });
  }
  const persistence = withReplication(await describePersistence(sql), replication?.warning);
  // A server that accepts no writes makes no promise about them.
  const durable = mode !== 'read' && sql.info.durable && persistence.writable && !persistence.ephemeral;
  return { status: 'healthy', mode, persistence, durable, ...(mcp && { mcpSessions: mcp.sessions() }) };
}

function withReplication(persistence: Health['persistence'], warning: string | undefined): Health['persistence'] {
  if (warning === undefined) return persistence;
  return { ...persistence, warnings: [...persistence.warnings, { code: 'REPLICATION_LAG', detail: warning }] };
}
