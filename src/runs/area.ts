import type { Operations } from '../../generated/runs/operations.ts';
import { Composition } from '../lib/areas.ts';
import type { Handlers, Preconditions } from '../operations/index.ts';
import type { Environment, LiveRunsConfig } from './config/index.ts';
import type { RunsEnvironment } from './environment.ts';
import type { Authority, FleetDeps } from './fleet/index.ts';
import type { BackupNumbers } from './metrics/index.ts';

/** What the process gives to the service. */
export interface RunQueueEnvironment extends RunsEnvironment {
  readonly config: LiveRunsConfig;
  /** Environment variables with tokens and secrets. */
  readonly variables: Environment;
  /** False while the service starts, and from the moment it is told to stop. */
  readonly accepting: () => boolean;
  /** Isolation of the steps that run in this process: a sandbox, `missing`, or `disabled` if none run here. */
  readonly sandbox: () => string;
  /** Undefined while the fleet is off. */
  readonly authority: Authority | undefined;
  readonly addresses: FleetDeps['addresses'];
  /** State of the scheduled backups; absent: there are no metrics of them. */
  readonly backups: (() => BackupNumbers | undefined) | undefined;
  /** When the certificate of the fleet's server expires, in milliseconds since 1970; undefined without one. */
  readonly serverCertificateExpiresMs: () => number | undefined;
}

/** A part of the service. The composition calls what an area has, in the order of what areas need of each other. */
export interface Area {
  readonly handlers?: Handlers<Operations>;
  readonly preconditions?: Preconditions<Operations>;
  /** Begins its work in the background; rejects for settings that cannot work. */
  start?(): Promise<void> | void;
  /** Ends what `start` began, and waits for it; harmless before it and when repeated. */
  stop?(): Promise<void> | void;
}

/**
 * The service stops in phases, between which the process ends its ship, and then its protocols: first what queues and
 * assigns runs, then the connections of ships, then all else.
 */
type Phase = 'quiesce' | 'dismiss' | 'stop';

/** The phase in which an area stops; `stop` if absent. */
export interface Stopping {
  readonly stopsIn: Phase;
}

/** The areas of the run-queue service. */
export class RunsComposition<Areas> extends Composition<Areas, Area, RunQueueEnvironment, Stopping> {
  get handlers(): Handlers<Operations> {
    return this.merged('handlers');
  }

  get preconditions(): Preconditions<Operations> {
    return this.merged('preconditions');
  }

  async start(): Promise<void> {
    await this.inOrder((area) => area.start?.());
  }

  async stop(phase: Phase): Promise<void> {
    await this.inReverse((area, { stopsIn = 'stop' }) => (stopsIn === phase ? area.stop?.() : undefined));
  }
}
