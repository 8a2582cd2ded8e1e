import { ServiceError } from '../../errors/index.ts';
import type { Transaction } from '../../storage/index.ts';
import type { Audit, AuditAction } from '../audit/index.ts';
import { type ResolveDeps, resolveRun, type RunRequest } from '../definitions/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import type { EventContexts, ForgeOrigin, RepositoryReader } from '../forge/port.ts';
import { createIdempotency, type Idempotency, type OnceResult, requestHash } from '../idempotency/index.ts';
import type { NewRun, Queue, RunRecord, RunSource } from '../queue/port.ts';
import { toStorageFailure } from '../storage-failures.ts';

export interface EnqueuerDeps {
  readonly queue: Pick<Queue, 'insert' | 'get'>;
  readonly audit: Audit;
  readonly keyVariableAvailable: ResolveDeps['keyVariableAvailable'];
  /** Whether there is no room for further logs; see `RunLogs`. */
  readonly logsAreFull: () => boolean;
  /** Pipelines and files of repositories, and facts of events; absent where no repository is read. */
  readonly repositories?: EventContexts & RepositoryReader;
}

/** For a run that repeats another one. */
export interface Repetition {
  readonly retryOf?: RunRecord;
  /** Has the ref resolved again, instead of using the commit of the repeated run. */
  readonly wantsNewest?: boolean;
}

/** A request to queue a run, under a key. */
interface Submission {
  readonly source: RunSource;
  /** The caller, who owns the key; absent: the service itself, for this source. */
  readonly actor?: string;
  readonly key: string;
  /** The request that the key stands for: the endpoint and all fields. */
  readonly requestHash: Uint8Array;
  /** The run to queue; called only if the key is not known. */
  readonly request: () => Promise<RunRequest & Repetition>;
}

/** The only way into the queue. */
export interface Enqueuer {
  /** Throws the errors of `resolveRun`, `idempotency_conflict`, `log_budget_exceeded`, `enqueue_failed`. */
  submit(submission: Submission): Promise<OnceResult>;
  /**
   * Queues a run of the service itself once for each key, whatever the request contains. `source` also owns the key, so
   * clients cannot use it.
   */
  enqueueOnce(source: 'schedule' | 'alert' | 'forge', key: string, request: RunRequest): Promise<OnceResult>;
  /** Deletes expired keys. */
  readonly pruneKeys: Idempotency['prune'];
}

/** What a run keeps of its event: whether it is restricted is decided by the configuration of now. */
function originOf({ restricted: _, ...origin }: ForgeOrigin, isRestricted: boolean): ForgeOrigin {
  return isRestricted ? { ...origin, restricted: true } : origin;
}

const WAYS: Readonly<Record<RunSource, { actor: string; action: AuditAction }>> = {
  api: { actor: 'api', action: 'enqueue' },
  retry: { actor: 'api', action: 'retry' },
  rerun: { actor: 'api', action: 'rerun' },
  schedule: { actor: 'schedule', action: 'enqueue' },
  alert: { actor: 'alertmanager', action: 'enqueue' },
  forge: { actor: 'forge', action: 'enqueue' },
};

export function createEnqueuer(env: Pick<RunsEnvironment, 'sql' | 'clock' | 'config' | 'log'>,
  deps: EnqueuerDeps): Enqueuer
{
  const idempotency = createIdempotency(env, deps.queue);

  async function withContext(request: RunRequest): Promise<RunRequest> {
    const { forge, projectId, task } = request;
    if (forge === undefined || deps.repositories === undefined) return request;
    return { ...request, ...(await deps.repositories.contextOf(projectId, task, forge)) };
  }

  /** Checks everything in the order of the decisions, section 2.1. */
  async function toNewRun(source: RunSource, by: string | undefined,
    request: RunRequest & Repetition): Promise<NewRun>
  {
    const { isRestricted, forge, ...resolved } = await resolveRun(env.config.current().config,
      await withContext(request), {
      keyVariableAvailable: deps.keyVariableAvailable,
      log: env.log,
      repositories: deps.repositories,
    });
    if (by !== undefined && deps.logsAreFull())
      throw new ServiceError('log_budget_exceeded',
        'the logs of runs under way have reached logs.total_budget; wait until some have ended, or raise it');
    const { input = null } = resolved;
    return {
      projectId: request.projectId,
      // The resolver has accepted the kind, so the cast is safe.
      kind: request.kind as NewRun['kind'],
      task: request.task,
      ...resolved,
      input: input === null || typeof input === 'string' ? input : JSON.stringify(input),
      inputIsJson: input !== null && typeof input !== 'string',
      source,
      origin: {
        by: by ?? null,
        schedule: request.schedule,
        alertLabels: request.alertLabels,
        forge: forge && originOf(forge, isRestricted),
      },
      cell: request.cell,
      retryOf: request.retryOf,
      wantsNewest: request.wantsNewest,
    };
  }

  async function insert(tx: Transaction, run: NewRun, by: string | undefined): Promise<RunRecord> {
    const record = await deps.queue.insert(tx, run);
    const { actor, action } = WAYS[run.source];
    const detail = {
      project_id: run.projectId,
      kind: run.kind,
      task: run.task,
      retry_of: run.retryOf?.id,
    };
    await deps.audit.record(tx, by ?? actor, action, record.id, detail);
    return record;
  }

  async function submit({ source, actor, key, requestHash: hash, request }: Submission): Promise<OnceResult> {
    return idempotency.once({
      space: actor ?? source,
      key,
      requestHash: hash,
      sameRequestOnly: actor !== undefined,
      prepare: async () => {
        const run = await toNewRun(source, actor, await request());
        return (tx) => insert(tx, run, actor);
      },
      insertFailed: (error) => toStorageFailure(error, 'enqueue_failed'),
    });
  }

  return {
    submit,
    enqueueOnce: (source, key, request) =>
      submit({ source, key, requestHash: requestHash(source, request), request: async () => request }),
    pruneKeys: idempotency.prune,
  };
}
