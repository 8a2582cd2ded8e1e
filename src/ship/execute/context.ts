import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Timer } from '../../lib/timer.ts';
import type { Assignment, RunRef } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { KeptStore } from './kept/index.ts';
import type { Masker } from './mask/index.ts';
import type { RunOutput } from './output/index.ts';
import type { Sandboxes, Variables, View } from './sandbox/index.ts';
import type { UserIds } from './users/index.ts';
import type { ArtifactFile } from './port.ts';
import type { WorkLimits } from './work-limits.ts';

/** The machine that executes, the same for all of its work. */
export interface ExecutorContext {
  /** Absolute; holds a folder for each attempt. */
  readonly workDir: string;
  /** What `inherit` stands for. */
  readonly sandbox: string;
  readonly sandboxes: Sandboxes;
  /** Whom steps run as: each run as a user of its own; absent where they run as who this process runs as. */
  readonly users: UserIds | undefined;
  /** What steps behind a fence see of the file system now. */
  readonly view: () => View;
  /** This process's environment. */
  readonly env: Variables;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly keepWork: boolean;
  readonly log: Log;
  readonly version: string;
  readonly serverOffsetMs: (() => number | undefined) | undefined;
  /** What this machine keeps from one run to the next. */
  readonly kept: KeptStore;
  /** Transports that git may use. */
  readonly gitProtocols: readonly string[];
}

/** One attempt while it is worked on. */
export interface Work {
  readonly assignment: Assignment;
  readonly ref: RunRef;
  readonly output: RunOutput;
  readonly masker: Masker;
  readonly limits: WorkLimits;
  /** To be called once it is known what the work is on. */
  sourceFound(gitRef: string, commit: string): void;
  /** Has a file kept; why it is not, or undefined when it is. */
  keepArtifact(file: ArtifactFile, signal: AbortSignal): Promise<string | undefined>;
  /** To be called when the first step begins. */
  started(): void;
}

/** Variables by which all processes of an attempt are known, `NAME=value` each. */
export function marksOf({ runId, attempt, fencingToken }: RunRef): string[] {
  return [`QUIRE_RUN_ID=${runId}`, `QUIRE_ATTEMPT=${attempt}`, `QUIRE_FENCING_TOKEN=${fencingToken}`];
}
