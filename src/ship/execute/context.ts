import type { Assignment, RunRef } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { Clock, Timer } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { KeptStore } from './kept-store.ts';
import type { Masker } from './mask/masker.ts';
import type { RunOutput } from './output/run-output.ts';
import type { ArtifactFile, ArtifactReader, WorkControl } from './port.ts';
import type { Sandboxes, Variables, View } from './sandbox/index.ts';
import type { UserIds } from './users.ts';
import type { WorkLimits } from './work-limits.ts';

/** The machine that executes runs; the same for all of them. */
export interface ExecutorContext {
  /** Absolute path; contains a folder for each attempt. */
  readonly workDir: string;
  /** The sandbox that `inherit` selects. */
  readonly sandbox: string;
  readonly sandboxes: Sandboxes;
  /** The users as whom steps run, one for each run; absent if steps run as the user of this process. */
  readonly users: UserIds | undefined;
  /** Returns what steps in a sandbox see of the file system now. */
  readonly view: () => View;
  /** This process's environment. */
  readonly env: Variables;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly keepWork: boolean;
  readonly log: Log;
  readonly version: string;
  readonly serverOffsetMs: (() => number | undefined) | undefined;
  /** Data that this machine keeps between runs. */
  readonly kept: KeptStore;
  /** Transports that git may use. */
  readonly gitProtocols: readonly string[];
}

/** One attempt while it is executed. */
export interface Work {
  readonly assignment: Assignment;
  readonly ref: RunRef;
  readonly output: RunOutput;
  readonly masker: Masker;
  readonly limits: WorkLimits;
  /** Must be called once the commit is known. */
  sourceFound(gitRef: string, commit: string): void;
  /** Stores a file; resolves with the reason if it is not stored, otherwise with undefined. */
  keepArtifact(file: ArtifactFile, signal: AbortSignal): Promise<string | undefined>;
  /**
   * Reads the artefacts of the steps before an approval; resolves with the reason if that is not possible, otherwise
   * with undefined.
   */
  restoreArtifacts(receive: ArtifactReader, signal: AbortSignal): Promise<string | undefined>;
  /** See `WorkControl`. */
  readonly fetchCache: NonNullable<WorkControl['fetchCache']>;
  readonly keepCache: NonNullable<WorkControl['keepCache']>;
  readonly discardCache: NonNullable<WorkControl['discardCache']>;
  /** Must be called when the first step starts. */
  started(): void;
}

/** Environment variables that identify all processes of an attempt, `NAME=value` each. */
export function marksOf({ runId, attempt, fencingToken }: RunRef): string[] {
  return [`QUIRE_RUN_ID=${runId}`, `QUIRE_ATTEMPT=${attempt}`, `QUIRE_FENCING_TOKEN=${fencingToken}`];
}

/** Identifies the containers and networks of an attempt, to the engine. */
export function labelOf({ runId, attempt }: Pick<RunRef, 'runId' | 'attempt'>): string {
  return `quire.attempt=${runId}.${attempt}`;
}
