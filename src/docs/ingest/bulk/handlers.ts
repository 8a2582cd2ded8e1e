import { randomBytes } from 'node:crypto';
import type { Operations } from '../../../../generated/docs/operations.ts';
import { ServiceError } from '../../../errors/index.ts';
import { unixSeconds } from '../../../lib/clock.ts';
import type { Outbound } from '../../../net/index.ts';
import type { Handlers, Identity } from '../../../operations/index.ts';
import { requireText, toItems } from '../../documents/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import { insertChunks, toChunks } from './job-documents.ts';
import { cancelJob, insertJob, readJob, readJobs, toRecord, type JobRow } from './job-rows.ts';

export type BulkHandlers = Required<Pick<Handlers<Operations>, 'submitBulkIngest' | 'getBulkIngest' | 'cancelBulkIngest' | 'listBulkIngest'>>;

export interface BulkHandlerDeps extends Pick<DocsEnvironment, 'sql' | 'codec' | 'clock' | 'keys'> {
  readonly outbound: Pick<Outbound, 'refusal'>;
  readonly onSubmit: () => void;
  /** Called when a job has ended. */
  readonly onEnd: () => void;
}

/** The operations on bulk ingest jobs (contract sections 3 and 4). Jobs are visible only to callers who may write their collection. */
export function bulkHandlers(deps: BulkHandlerDeps): BulkHandlers {
  const { sql, clock, keys } = deps;
  return {
    submitBulkIngest: async ({ collection, documents, saveRevision, callbackUrl }) => {
      requireText(collection);
      if (callbackUrl !== undefined) checkCallback(deps, callbackUrl);
      const id = `job_${clock.now()}_${randomBytes(3).toString('hex')}`;
      const chunks = await toChunks(deps, id, toItems(documents, saveRevision));
      const job = await sql.transaction(async (tx) => {
        await insertChunks(tx, await insertJob(tx, { id, collection, total: documents.length, callbackUrl, submittedAt: unixSeconds(clock) }), chunks);
        return readJob(tx, id);
      });
      deps.onSubmit();
      return toRecord(job!, keys);
    },
    getBulkIngest: async ({ id }, { identity }) => toRecord(await find(deps, id, identity), keys),
    cancelBulkIngest: async ({ id }, { identity }) => {
      const job = await find(deps, id, identity);
      const isCancelled = await sql.transaction((tx) => cancelJob(tx, job, clock.now()));
      const now = await find(deps, id, identity);
      if (!isCancelled) throw new ServiceError('invalid_argument', `job already started: its status is ${now.status}`);
      deps.onEnd();
      return toRecord(now, keys);
    },
    listBulkIngest: async ({ collection }, { identity }) => {
      const wanted = collection?.toLowerCase();
      const rows = (await readJobs(sql)).filter((row) => (wanted === undefined || row.collection.toLowerCase() === wanted) && identity.may('write', row.collection));
      return { jobs: rows.map((row) => toRecord(row, keys)), total: rows.length };
    },
  };
}

async function find({ sql }: BulkHandlerDeps, id: string, identity: Identity): Promise<JobRow> {
  const job = await readJob(sql, id);
  if (job === undefined || !identity.may('write', job.collection)) throw new ServiceError('not_found', 'not found');
  return job;
}

function checkCallback({ outbound }: BulkHandlerDeps, url: string): void {
  const refusal = url.isWellFormed() ? outbound.refusal(url) : 'expected valid Unicode text';
  if (refusal !== undefined) throw new ServiceError('invalid_argument', `callbackUrl must be an address that this server may call: ${refusal}`);
}
