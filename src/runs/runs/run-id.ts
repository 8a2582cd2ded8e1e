import { ServiceError } from '../../errors/index.ts';
import type { Queue, RunRecord } from '../queue/port.ts';

/** The form of run ids. */
export const RUN_ID = /^[0-9a-f]{32}$/;

/** The run with this id. A malformed id is treated like an unknown one (decisions, section 2.1). */
export async function requireRun(queue: Pick<Queue, 'get'>, id: unknown): Promise<RunRecord> {
  const run = typeof id === 'string' && RUN_ID.test(id) ? await queue.get(id) : undefined;
  if (run === undefined) throw new ServiceError('run_not_found', 'there is no such run');
  return run;
}
