import type { Operations } from '../../generated/runs/operations.ts';
import type { Guard, Handlers, Preconditions, Steps } from '../operations/index.ts';
import { projectOf } from './alerts/index.ts';
import { type RunQueueEnvironment, RunsComposition } from './area.ts';
import { AREAS, type Areas } from './areas.ts';
import { createCredentialReader, createGuard, type FenceDeps, projectFences } from './auth/index.ts';
import type { FleetService } from './fleet/index.ts';
import { storeStep } from './storage-failures.ts';

/** The run-queue service without its protocols. */
export interface RunQueueService {
  readonly handlers: Handlers<Operations>;
  readonly preconditions: Preconditions<Operations>;
  /** What is checked again while a file or a stream is sent. */
  readonly fences: Preconditions<Operations>;
  readonly guard: Guard;
  /** Whose a credential is, whatever it may do; undefined for one that is not valid. */
  readonly readCredential: ReturnType<typeof createCredentialReader>;
  /** Calls the listener when rights have changed; the returned function unsubscribes it. */
  onAccessChange(listener: () => void): () => void;
  /** What this service adds to the pipeline of its calls. */
  readonly steps: Pick<Steps, 'store'>;
  /** The interface for the transport of ships' messages. */
  readonly fleet: FleetService;
  /** Starts assigning runs, monitoring them and queueing scheduled ones. */
  start(): Promise<void>;
  /** Stops queueing and assigning runs, and ends live logs; reports of ships are still accepted. */
  quiesce(): Promise<void>;
  /** Disconnects ships, which come back later. */
  dismiss(): Promise<void>;
  /** Closes everything that is still open. */
  stop(): Promise<void>;
}

/** Makes the areas over one store, which must be migrated; nothing runs yet. */
export function createRunQueueService(env: RunQueueEnvironment): RunQueueService {
  const whole = new RunsComposition<Areas>(AREAS, env);
  const { fleet, people, queue, recorder } = whole.areas;
  const { config, clock, accepting } = env;
  const fence: FenceDeps = {
    runOf: (id) => queue.get(id),
    projectOfAlerts: (labels) => projectOf(labels, config.current().config),
  };
  return {
    handlers: whole.handlers,
    preconditions: whole.preconditions,
    fences: projectFences(fence),
    onAccessChange: (listener) => {
      const leave = [config.onChange(listener), people.onChange(listener)];
      return () => leave.forEach((each) => each());
    },
    guard: createGuard(config, clock, people),
    readCredential: createCredentialReader(config, clock, people),
    steps: { store: storeStep({ accepting, onFailure: recorder.storageFailed }) },
    fleet: fleet.service,
    start: () => whole.start(),
    quiesce: () => whole.stop('quiesce'),
    dismiss: () => whole.stop('dismiss'),
    stop: () => whole.stop('stop'),
  };
}
