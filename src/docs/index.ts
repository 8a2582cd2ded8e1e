import type { Operations } from '../../generated/docs/operations.ts';
import type { Handlers, Outcome } from '../operations/index.ts';
import { DocsComposition } from './area.ts';
import { AREAS, type Areas } from './areas.ts';
import { keepChecksumKey } from './documents/index.ts';
import { Duty } from './duty.ts';
import type { DocsEnvironment, RelayedNote } from './environment.ts';
import { Follower } from './follower.ts';
import { followNodes, laterOutside, untilDone } from './nodes.ts';
import { type Steps, stepsOf, switchedOff } from './steps.ts';
import { createCheckpointCopies } from './view/index.ts';

export type { AuditSettings } from './audit/index.ts';
export { answerForwarded, type ConnectNode } from './cluster/index.ts';
export type { DocsEnvironment, DocsSettings, Relay, RelayedNote } from './environment.ts';
export { announcer } from './nodes.ts';
export { isSameSecret, Replication, type ReplicationSettings } from './replication/index.ts';
export { type Counted, type McpDescription, type OtherProcesses, summed } from './system/index.ts';

/** The document service without its protocols: its handlers and its background work. */
export interface DocumentService
  extends Pick<Areas, 'access' | 'audit' | 'cluster' | 'documents' | 'maintenance' | 'readiness' | 'system'>
{
  readonly handlers: Handlers<Operations>;
  /** What this service adds to the pipeline of its calls. */
  readonly steps: Steps;
  /** Whether an operation currently refuses every call, because its feature is switched off or has no provider. */
  isOff(operation: string): boolean;
  /** Role and state of this node in replication. */
  readonly replication: DocsEnvironment['replication'];
  /** Call this with the outcome of each operation, for the audit log and the alarms. */
  observe(outcome: Outcome): void;
  /** Stores a note from a read-only process. */
  receive(note: RelayedNote): void;
  /** In a read-only process: resolves when all changes that others have committed are loaded. */
  refresh(): Promise<void>;
  /** Whether this process can handle reads: its indexes are ready, and no body is in the memory of another process. */
  readonly canRead: boolean;
  /**
   * Ends the streams of events. Call it before the protocols stop, because they wait for running responses. Harmless
   * when repeated.
   */
  endStreams(): void;
  /** Stops the background work and waits for it; harmless when repeated. */
  stop(): Promise<void>;
}

/** Makes the areas over one database, which must be migrated, and starts them. */
export async function createDocumentService(given: DocsEnvironment): Promise<DocumentService> {
  const { settings, isNode = false, replication } = given;
  const env = { ...given, checkpoints: given.checkpoints ?? createCheckpointCopies(given) };
  const whole = new DocsComposition<Areas>(AREAS, env);
  const stopping = new AbortController();
  // On a node that writes, loads may wait for a turn to write, for which the caller that loads changes must not wait.
  const later = isNode ? laterOutside(env.log) : (load: () => Promise<void>) => load();
  const follower = new Follower(env, {
    ...whole.following(later),
    everything: () => later(() => whole.replaced()),
    async rewound() {
      env.log.warn({}, 'the database has lost changes that this node knew; everything in memory is read again');
      await later(() => untilDone(() => whole.replaced(), env.log, stopping.signal));
    },
  });
  const writes = settings.mode !== 'read';
  const duty = isNode && writes
    ? new Duty({
      ...env,
      peers: env.sql.peers!,
      async begin() {
        env.log.info({}, 'this node does the work in the background');
        await whole.work();
      },
      look: () => whole.wake(),
      lost: () => env.onDutyLost?.(),
    })
    : undefined;
  let nodes: ReturnType<typeof followNodes> | undefined;
  const stop = async (): Promise<void> => {
    stopping.abort();
    await nodes?.stop();
    await whole.stop();
    await duty?.stop();
  };
  try {
    await follower.begin();
    // Other processes write the databases of workers and followers.
    if (env.relay === undefined && replication?.refusal === undefined) await keepChecksumKey(env.sql);
    await whole.load();
    await whole.start();
    if (isNode) nodes = followNodes(env, (queries) => follower.refresh(queries));
    if (duty !== undefined) await duty.start();
    else if (writes) await whole.work();
  } catch (error) {
    await stop();
    throw error;
  }
  const { areas, areas: { access, alarms, audit, bodies, embeddings, events, readiness } } = whole;
  return {
    ...areas,
    handlers: whole.handlers,
    steps: stepsOf(env, areas),
    isOff: switchedOff(settings, embeddings),
    replication,
    observe(outcome) {
      audit.observe(outcome);
      alarms.observe(outcome);
    },
    receive(note) {
      if (note.kind === 'audit') audit.receive(note);
      else if (note.kind === 'key-use') access.recordKeyUse(note.hash);
      else alarms.receive(note.operation);
    },
    refresh: () => follower.refresh(),
    get canRead() {
      return readiness.isReady && !bodies.isBoundToProcess;
    },
    endStreams: () => events.stop(),
    stop,
  };
}
