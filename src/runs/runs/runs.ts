import type { Operations } from '../../../generated/runs/operations.ts';
import type { Run } from '../../../generated/runs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import { Loop } from '../../lib/loop.ts';
import { type Handlers, type Identity, type InputOf, type Preconditions, Reply } from '../../operations/index.ts';
import type { Transaction } from '../../storage/index.ts';
import { actorOf, requireReadable } from '../auth/index.ts';
import type { RunRequest } from '../definitions/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import { type OnceResult, requestHash, requireKey } from '../idempotency/index.ts';
import type { Queue, RunRecord } from '../queue/port.ts';
import { createEnqueuer, type Enqueuer, type EnqueuerDeps } from './enqueuer.ts';
import { presentRun } from './present-run.ts';
import { readHandlers, requireRun } from './read-runs.ts';
import { requestOfRerun, requestOfRetry } from './repeat.ts';

type RunHandlers = Required<
  Pick<Handlers<Operations>,
    'enqueueRun' | 'listRuns' | 'getRun' | 'cancelRun' | 'retryRun' | 'rerunRun' | 'approveRun' | 'rejectRun'
      | 'getRunResult' | 'listRunAttempts'>
>;

/** The operations of clients on runs. */
export interface Runs {
  readonly handlers: RunHandlers;
  /**
   * The checks that the decisions require before the rest of a request (section 2.1): the run of the path, then the
   * key.
   */
  readonly preconditions: Preconditions<Operations>;
  readonly enqueueOnce: Enqueuer['enqueueOnce'];
  readonly submit: Enqueuer['submit'];
  /** Retries a run once for each key, like `enqueueOnce`. Throws what `retryRun` throws. */
  retryOnce(source: 'forge', key: string, runId: string): Promise<OnceResult>;
  /** A run as the API shows it. */
  present(run: RunRecord): Run;
  /** Starts deleting expired keys. */
  start(): void;
  /** Waits for work under way; safe twice. */
  stop(): Promise<void>;
}

interface RunsDeps extends EnqueuerDeps {
  readonly queue: Pick<Queue,
    'insert' | 'get' | 'material' | 'list' | 'result' | 'summary' | 'explain' | 'cancel' | 'approve' | 'disapprove'
      | 'attempts'>;
}

/** Milliseconds between deletions of expired idempotency keys. */
const PRUNE_MS = 600_000;

/** Bytes of an input, as JSON if it is an object. */
const MAX_INPUT_BYTES = 262_144;

export function createRuns(env: RunsEnvironment, deps: RunsDeps): Runs {
  const { queue, audit } = deps;
  const enqueuer = createEnqueuer(env, deps);
  const pruning = new Loop({
    name: 'idempotency keys',
    everyMs: PRUNE_MS,
    timer: env.timer,
    log: env.log,
    failure: 'expired idempotency keys could not be deleted',
  }, enqueuer.pruneKeys);
  const present = (run: RunRecord): Run => presentRun(run, queue);
  const accepted = ({ run, replayed }: OnceResult) =>
    new Reply({ data: present(run) }, replayed ? { 'Idempotent-Replayed': 'true' } : {});

  async function decide(id: string, by: string, decision: 'approve' | 'reject'): Promise<{ data: Run }> {
    await requireRun(queue, id);
    const note = (tx: Transaction): Promise<void> => audit.record(tx, by, decision, id);
    const run = await (decision === 'approve' ? queue.approve(id, by, note) : queue.disapprove(id, by, note));
    if (run === undefined)
      throw new ServiceError('run_state_conflict',
        `the run does not wait for an approval; it is ${(await requireRun(queue, id)).state}`);
    return { data: present(run) };
  }

  const handlers: RunHandlers = {
    ...readHandlers(queue),
    async enqueueRun({ idempotencyKey, ...body }, context) {
      requireSmall(body.input);
      const request = async () => toRequest(body);
      return accepted(await enqueuer.submit({
        source: 'api',
        actor: actorOf(context),
        key: idempotencyKey,
        requestHash: requestHash('enqueueRun', body),
        request,
      }));
    },
    async retryRun({ id, cells, idempotencyKey }, context) {
      const request = async () =>
        requestOfRetry(await requireRun(queue, id), cells, queue, env.config.current().config);
      return accepted(await enqueuer.submit({
        source: 'retry',
        actor: actorOf(context),
        key: idempotencyKey,
        requestHash: requestHash('retryRun', { id, ...(cells === 'failed' && { cells }) }),
        request,
      }));
    },
    async rerunRun({ id, commit, idempotencyKey }, context) {
      const request = async () =>
        requestOfRerun(await requireRun(queue, id), commit, queue, env.config.current().config);
      return accepted(await enqueuer.submit({
        source: 'rerun',
        actor: actorOf(context),
        key: idempotencyKey,
        requestHash: requestHash('rerunRun', { id, commit }),
        request,
      }));
    },
    async cancelRun({ id }, context) {
      await requireRun(queue, id);
      const cancelled = await queue.cancel(id, (tx) => audit.record(tx, actorOf(context), 'cancel', id));
      if (cancelled === undefined)
        throw new ServiceError('run_state_conflict', 'only a queued or running run can be cancelled');
      return { data: present(cancelled) };
    },
    approveRun: ({ id }, context) => decide(id, actorOf(context), 'approve'),
    rejectRun: ({ id }, context) => decide(id, actorOf(context), 'reject'),
  };

  return {
    handlers,
    preconditions: preconditionsOf(queue),
    enqueueOnce: enqueuer.enqueueOnce,
    retryOnce: (source, key, id) =>
      enqueuer.submit({
        source,
        key,
        requestHash: requestHash('retryRun', { id }),
        request: async () => requestOfRetry(await requireRun(queue, id), 'all', queue, env.config.current().config),
      }),
    submit: enqueuer.submit,
    present,
    start: () => pruning.start(),
    stop: () => pruning.stop(),
  };
}

function preconditionsOf(queue: Pick<Queue, 'get'>): Preconditions<Operations> {
  const runExists = async ({ id }: { id?: unknown }, identity: Identity): Promise<void> =>
    requireReadable(await requireRun(queue, id), identity);
  const repeats = async (parameters: { id?: unknown; idempotencyKey?: unknown }, identity: Identity): Promise<void> => {
    await runExists(parameters, identity);
    requireKey(parameters.idempotencyKey);
  };
  return {
    enqueueRun: ({ idempotencyKey }) => requireKey(idempotencyKey),
    retryRun: repeats,
    rerunRun: repeats,
    listRunLogs: runExists,
    streamRunLogs: runExists,
  };
}

function toRequest(
  { project_id: projectId, kind, task, input, priority, ref: gitRef }: Omit<InputOf<Operations, 'enqueueRun'>,
    'idempotencyKey'>,
): RunRequest {
  return { projectId, kind, task, input, priority, gitRef, event: 'manual' };
}

/** The schema can limit the size of texts only. */
function requireSmall(input: string | object | undefined): void {
  if (typeof input === 'object' && Buffer.byteLength(JSON.stringify(input)) > MAX_INPUT_BYTES) {
    throw new ServiceError('invalid_input', `input must be at most ${MAX_INPUT_BYTES} bytes`);
  }
}
