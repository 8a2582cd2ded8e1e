import type { Assignment, Outcome, RunError } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';

/** One line of output, masked, without its line break; not yet numbered. */
export interface OutputLine {
  readonly unixMs: number;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly stream: 'stdout' | 'stderr' | 'system';
  readonly step: string | null;
  readonly message: string;
}

/** Where the lines of a run go. A promise tells to wait before writing more. */
export interface OutputSink {
  write(line: OutputLine): void | Promise<void>;
  /** The step has failed: its last lines stay, where lines have to be left out. */
  keep?(step: string | null): void;
}

/** A file that a step leaves to be kept. */
export interface ArtifactFile {
  /** Path below the folder where steps start. */
  readonly name: string;
  readonly step: string;
  /** Bytes. */
  readonly size: number;
  readonly sha256: Uint8Array;
  /** Its bytes from the beginning, in pieces of at most 1 MiB; may be asked for again. */
  content(): AsyncIterable<Uint8Array>;
}

/** How one step went. */
export interface StepResult {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly startedMs: number;
  readonly endedMs: number;
  readonly outcome: 'succeeded' | 'failed' | 'timed_out' | 'stopped';
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** How the work ended, everything in it masked. */
export interface WorkResult {
  readonly outcome: Outcome;
  readonly error?: RunError;
  /** At most 1 MiB; for `ai_text` the JSON of `RunResult` of the API with the type `application/vnd.quire.result+json`. */
  readonly result?: { readonly body: Uint8Array; readonly type: string };
  /** The steps of a pipeline that began. */
  readonly steps?: readonly StepResult[];
}

/** How work is told to end. Aborting with `kill` after `stop` skips the rest of the grace. */
export interface WorkControl {
  /** Asked to stop: SIGTERM to the group, `graceMs` later SIGKILL, then the `always` steps in what is left. */
  readonly stop: AbortSignal;
  /** Kill at once, report nothing. */
  readonly kill: AbortSignal;
  /** Grace that counts when `stop` aborts. */
  graceMs(): number;
  /** Milliseconds until it must be dead even if this process is frozen; absent where it may go on. */
  readonly leaseLeft?: (() => number) | undefined;
  /** Called when it is known which commit the work is on, by which branch, tag or commit it was found. */
  sourceFound?(gitRef: string, commit: string): void;
  /** Has a file kept by the server: resolves with why it is not, or with undefined when it is. Never rejects. Absent where none is kept. */
  keepArtifact?(file: ArtifactFile, signal: AbortSignal): Promise<string | undefined>;
  /** Called when the first step begins. */
  started(): void;
}

/** What keeps steps apart from the service. */
export interface Fence {
  /** The sandbox; undefined when there is none, and pipelines that ask for no other one are refused. */
  readonly sandbox?: string;
  /** Why there is none. */
  readonly reason?: string;
  /** There is none only because the users of steps can't get to the work folder. */
  readonly isClosedOff?: boolean;
}

/** Executes assignments of all kinds; used by remote ships and by the ship in the server's process. */
export interface Executor {
  /** Kinds, and sandboxes that this machine has. */
  readonly kinds: readonly ('diagnostic' | 'pipeline' | 'ai_text')[];
  /** Resolves when nothing is alive of what a process that died has left here; work waits for that. Never rejects. */
  readonly ready?: Promise<void>;
  /** What fences in the steps of pipelines that ask for nothing else, once that is tried. Never rejects. */
  readonly fence?: Promise<Fence>;
  /** Why it cannot take an assignment (a missing sandbox); undefined when it can. */
  refuses(assignment: Assignment): string | undefined;
  /** Never rejects: a failure of the ship itself is the outcome SHIP_ERROR. Nothing of the work is alive when it resolves. */
  execute(assignment: Assignment, output: OutputSink, control: WorkControl): Promise<WorkResult>;
}
