import type { Assignment, DownloadArtifactsResponse, DownloadCacheResponse, Outcome,
  RunError } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';

/** One line of output, masked, without its line break; not numbered yet. */
export interface OutputLine {
  readonly unixMs: number;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly stream: 'stdout' | 'stderr' | 'system';
  readonly step: string | null;
  readonly message: string;
  /** Set if the line says that its step begins (`running`), or how it ended. */
  readonly stepState?: StepState | undefined;
}

export type StepState = 'running' | StepResult['outcome'];

/** Receives the lines of a run. If a promise is returned, the caller must await it before writing more. */
export interface OutputSink {
  write(line: OutputLine): void | Promise<void>;
  /** The step has failed: its last lines stay if lines have to be left out. */
  keep?(step: string | null): void;
}

/** A file of a step to be stored, or a test report whose results are to be stored. */
export interface ArtifactFile {
  /** Path relative to the folder where steps start. */
  readonly name: string;
  readonly step: string;
  /** Bytes. */
  readonly size: number;
  readonly sha256: Uint8Array;
  /** Whether its owner may execute it; absent for a test report. */
  readonly executable?: boolean;
  /** Format of a test report; absent for an artefact. */
  readonly reportFormat?: string;
  /** Its bytes from the beginning, in pieces of at most 1 MiB; may be called again. */
  content(): AsyncIterable<Uint8Array>;
}

/** The archive of a cache, for the server to keep. */
export interface CacheFile {
  /** All placeholders are replaced. */
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  readonly sha256: Uint8Array;
  /** Its bytes from the beginning, in pieces of at most 1 MiB; may be called again. */
  content(): AsyncIterable<Uint8Array>;
}

/** The result of one step. */
export interface StepResult {
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly startedMs: number;
  readonly endedMs: number;
  readonly outcome: 'succeeded' | 'failed' | 'timed_out' | 'stopped';
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** The result of the work, with everything masked. */
export interface WorkResult {
  readonly outcome: Outcome;
  readonly error?: RunError;
  /**
   * At most 1 MiB; for `ai_text` the JSON of the API's `RunResult`, with the type `application/vnd.quire.result+json`.
   */
  readonly result?: { readonly body: Uint8Array; readonly type: string };
  /** Markdown for people, at most 64 KiB. */
  readonly summary?: string;
  /** The steps of a pipeline that started. */
  readonly steps?: readonly StepResult[];
}

/** Signals that end work. Aborting `kill` after `stop` skips the rest of the grace. */
export interface WorkControl {
  /** Stops the work: SIGTERM to the group, `graceMs` later SIGKILL, and the `always` steps. */
  readonly stop: AbortSignal;
  /** Kills the work at once, and reports nothing. */
  readonly kill: AbortSignal;
  /** Grace in milliseconds; read when `stop` aborts. */
  graceMs(): number;
  /** Further milliseconds for steps that always run; read when `stop` aborts. Absent for none. */
  alwaysGraceMs?(): number;
  /** Milliseconds until the work must be dead even if this process is frozen; absent for no limit. */
  readonly leaseLeft?: (() => number) | undefined;
  /** Called with the commit of the work, and the branch, tag or commit by which it was found, once it is known. */
  sourceFound?(gitRef: string, commit: string): void;
  /**
   * Has the server store a file: resolves with the reason if it is not stored, otherwise with undefined. Never rejects.
   * Absent if no files are stored.
   */
  keepArtifact?(file: ArtifactFile, signal: AbortSignal): Promise<string | undefined>;
  /**
   * Has `receive` read the artefacts that the attempt has left before its approval, again after a failure of the
   * network; `receive` starts over each time. Resolves with the reason if that is not possible, otherwise with
   * undefined. Never rejects.
   */
  restoreArtifacts?(receive: ArtifactReader, signal: AbortSignal): Promise<string | undefined>;
  /**
   * Has `receive` read the cache that the server has for the key, or for the first of the restore keys; there are no
   * messages if it has none. After a failure of the network it does so again, and `receive` starts over. Resolves with
   * the reason if that is not possible, otherwise with undefined. Never rejects. Absent if there is no server.
   */
  fetchCache?(wanted: { readonly key: string; readonly restoreKeys: readonly string[] }, receive: CacheReader,
    signal: AbortSignal): Promise<string | undefined>;
  /**
   * Has the server keep a cache for all ships: resolves with the reason if it does not, otherwise with undefined. Never
   * rejects.
   */
  keepCache?(file: CacheFile, signal: AbortSignal): Promise<string | undefined>;
  /** Has the server remove a cache that cannot be restored. Otherwise like `keepCache`. */
  discardCache?(key: string, signal: AbortSignal): Promise<string | undefined>;
  /** Called when the first step starts. */
  started(): void;
}

/** Reads a download of artefacts. Rejects with a `StagingFailure` if reading them again would not help. */
export type ArtifactReader = (messages: AsyncIterable<DownloadArtifactsResponse>) => Promise<void>;

/** Reads a download of a cache. Rejects with a `StagingFailure` if reading it again would not help. */
export type CacheReader = (messages: AsyncIterable<DownloadCacheResponse>) => Promise<void>;

/** What the server sends cannot be put on this machine. */
export class StagingFailure extends Error {}

/** The isolation of steps from the service. */
export interface Fence {
  /** The sandbox; undefined if there is none; pipelines that select no other one are refused then. */
  readonly sandbox?: string;
  /** Why there is none. */
  readonly reason?: string;
  /** There is none only because the users of steps cannot reach the work folder. */
  readonly isClosedOff?: boolean;
}

/** Executes assignments of all kinds; used by remote ships and by the ship in the server's process. */
export interface Executor {
  /** The supported kinds, and the sandboxes of this machine. */
  readonly kinds: readonly ('diagnostic' | 'pipeline' | 'ai_text')[];
  /** Resolves when the processes that a dead process has left here are gone; work waits for that. Never rejects. */
  readonly ready?: Promise<void>;
  /** The isolation of steps in pipelines that request no other one, once it has been tested. Never rejects. */
  readonly fence?: Promise<Fence>;
  /** Why it cannot take an assignment (such as a missing sandbox); undefined if it can. */
  refuses(assignment: Assignment): string | undefined;
  /**
   * Never rejects: a failure of the ship itself has the outcome SHIP_ERROR. No process of the work is alive when it
   * resolves.
   */
  execute(assignment: Assignment, output: OutputSink, control: WorkControl): Promise<WorkResult>;
}
