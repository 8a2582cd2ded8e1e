import type { Readiness as ReadinessAnswer } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import type { Readiness } from '../view/index.ts';

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
