import type { Health, Readiness as ReadinessAnswer } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import type { Readiness } from '../view/index.ts';
import type { McpDescription } from './endpoints.ts';
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

/**
 * Whether every view serves. Throws `index_loading` with the views in its body when one does not, and
 * `unavailable` when the database does not answer.
 */
export async function checkReadiness({ sql }: Pick<DocsEnvironment, 'sql'>,
  readiness: Pick<Readiness, 'states' | 'isReady'>): Promise<ReadinessAnswer>
{
  const healthy = await sql.healthy();
  const { states: views, isReady } = readiness;
  if (!healthy)
    throw new ServiceError('unavailable', 'the database is unreachable', { body: { status: 'unhealthy', views } });
  if (isReady) return { status: 'ready', views };
  const names = views.filter(({ ready }) => !ready).map(({ name }) => name);
  throw new ServiceError('index_loading', `the ${names.join(' and ')} indexes are not ready`, {
    headers: { 'Retry-After': '1' },
    body: { status: 'loading', views },
  });
}
