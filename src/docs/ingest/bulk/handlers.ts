import type { Operations } from '../../../../generated/docs/operations.ts';
import type { BulkIngestJob } from '../../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../../errors/index.ts';
import { unixSeconds } from '../../../lib/clock.ts';
import type { Outbound } from '../../../net/index.ts';
import { type Handlers, type Identity, mayReadAll } from '../../../operations/index.ts';
import { backgroundUserOf } from '../../access/index.ts';
import { requireText, toItems } from '../../documents/index.ts';
import { type DocsEnvironment, transactFor } from '../../environment.ts';
import { hidingStored, insertChunks, toChunks } from './job-documents.ts';
import { cancelJob, insertJob, type JobRow, newJobId, readJob, readJobs, toRecord } from './job-rows.ts';

export type BulkHandlers = Required<
  Pick<Handlers<Operations>, 'submitBulkIngest' | 'getBulkIngest' | 'cancelBulkIngest' | 'listBulkIngest'>
>;

interface BulkHandlerDeps extends Pick<DocsEnvironment, 'sql' | 'codec' | 'clock' | 'keys'> {
  readonly outbound: Pick<Outbound, 'refusal'>;
  readonly onSubmit: () => void;
  /** Called when a job has ended. */
  readonly onEnd: () => void;
}

/**
 * The operations on bulk ingest jobs (contract sections 3 and 4). Jobs are visible only to callers who may write their
 * collection.
 */
export function bulkHandlers(deps: BulkHandlerDeps): BulkHandlers {
  const { sql, clock, keys } = deps;
  const shown = (row: JobRow,
    identity:
      Identity): BulkIngestJob => (mayReadAll(identity, row.collection)
      ? toRecord(row, keys)
      : withoutStored(toRecord(row, keys)));
  return {
    submitBulkIngest: async ({ collection, documents, saveRevision, callbackUrl }, context) => {
      const { identity } = context;
      requireText(collection);
      if (callbackUrl !== undefined) checkCallback(deps, callbackUrl);
      const id = newJobId(clock);
      const items = toItems(documents, saveRevision);
      const chunks = await toChunks(deps, id, mayReadAll(identity, collection) ? items : items.map(hidingStored));
      const job = await transactFor(sql, context, async (tx) => {
        await insertChunks(tx, await insertJob(tx, keys, {
          id,
          collection,
          total: documents.length,
          callbackUrl,
          submittedAt: unixSeconds(clock),
          submitter: submitterOf(identity),
        }), chunks);
        return readJob(tx, id);
      });
      deps.onSubmit();
      return shown(job!, identity);
    },
    getBulkIngest: async ({ id }, { identity }) => shown(await find(deps, id, identity), identity),
    cancelBulkIngest: async ({ id }, context) => {
      const { identity } = context;
      const job = await find(deps, id, identity);
      const isCancelled = await transactFor(sql, context, (tx) => cancelJob(tx, job, clock.now()));
      const now = await find(deps, id, identity);
      if (!isCancelled) throw new ServiceError('invalid_argument', `job already started: its status is ${now.status}`);
      deps.onEnd();
      return shown(now, identity);
    },
    listBulkIngest: async ({ collection }, { identity }) => {
      const wanted = collection?.toLowerCase();
      const rows = (await readJobs(sql)).filter((row) =>
        (wanted === undefined || row.collection.toLowerCase() === wanted) && identity.may('write', row.collection)
      );
      return { jobs: rows.map((row) => shown(row, identity)), total: rows.length };
    },
  };
}

/** With whose rights a job is loaded, as it is stored. */
function submitterOf(identity: Identity): string {
  const user = backgroundUserOf(identity);
  return user === undefined ? '' : JSON.stringify(user);
}

async function find({ sql }: BulkHandlerDeps, id: string, identity: Identity): Promise<JobRow> {
  const job = await readJob(sql, id);
  if (job === undefined || !identity.may('write', job.collection)) throw new ServiceError('not_found', 'not found');
  return job;
}

/**
 * The record without what shows documents: which of them were there before, and the values that break the collection's
 * schema.
 */
function withoutStored({ embeddingDropped: _, added, updated, errors, ...record }: BulkIngestJob): BulkIngestJob {
  return { ...record, added: added + updated, updated: 0, errors: errors.map(withoutValues) };
}

const VIOLATION = ': validation failed';

function withoutValues(line: string): string {
  const at = line.indexOf(`${VIOLATION}: `);
  return at < 0 ? line : line.slice(0, at + VIOLATION.length);
}

function checkCallback({ outbound }: BulkHandlerDeps, url: string): void {
  const refusal = url.isWellFormed() ? outbound.refusal(url) : 'expected valid Unicode text';
  if (refusal !== undefined)
    throw new ServiceError('invalid_argument', `callbackUrl must be an address that this server may call: ${refusal}`);
}
