import type { Transaction } from '../../storage/index.ts';
import type { CellValues } from '../config/index.ts';
import type { CellName, Concurrency, Definition, ResolvedCell } from '../definitions/index.ts';
import type { ForgeOrigin } from '../forge/port.ts';
import type { NeededAttempt } from './needed.ts';

// Times named `...Ms` are milliseconds since 1970; those named `...At` are seconds, as the API shows them.

export type RunKind = 'diagnostic' | 'pipeline' | 'ai_text';
export type RunState = 'queued' | 'running' | 'cancelling' | 'succeeded' | 'failed' | 'cancelled';
export type RunSource = 'api' | 'retry' | 'rerun' | 'schedule' | 'alert' | 'forge';

/** Who or what queued a run. */
export interface RunOrigin {
  /** As in the audit log; null if the service itself queued the run. */
  readonly by: string | null;
  readonly schedule?: string;
  readonly alertLabels?: Readonly<Record<string, string>>;
  readonly forge?: ForgeOrigin;
}

/** One attempt of a run as it was assigned; `fence` increases at each claim, requeue and forced cancel. */
export interface RunRef {
  readonly runId: string;
  readonly attempt: number;
  readonly fence: number;
}

/** Why a run failed, as the API shows it (decisions, section 2.2). `message` is masked, at most 2,000 characters. */
export interface RunFailure {
  readonly code: string;
  readonly message: string;
  readonly attempt: number;
  readonly step: string | null;
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly retryable: boolean;
}

export interface NewRun {
  readonly projectId: string;
  readonly kind: RunKind;
  readonly task: string;
  /** Text, or JSON text of an object. */
  readonly input: string | null;
  readonly inputIsJson: boolean;
  readonly priority: number;
  /** Sorted, without duplicates. */
  readonly runsOn: readonly string[];
  readonly maxAttempts: number;
  readonly definition: Definition;
  readonly source: RunSource;
  readonly origin: RunOrigin;
  readonly concurrency?: Concurrency;
  /** Its cells, in the order of jobs; absent if the run itself is executed. */
  readonly cells?: readonly ResolvedCell[];
  /** The one cell that this run repeats. */
  readonly cell?: CellName;
  /** How long it waits for an approval; absent if it needs none. */
  readonly approvalMs?: number;
  /** Branch, tag or commit to check out; absent for the default branch, or if nothing is checked out. */
  readonly gitRef?: string;
  /** The commit, if it is known already; that of `retryOf` counts before it. */
  readonly gitCommit?: string;
  /** The run that this one repeats; both use the same commit, unless this one wants the `newest` of its ref. */
  readonly retryOf?: RunRecord;
  readonly wantsNewest?: boolean;
}

/** A run as it is stored, without input and definition. */
export interface RunRecord {
  readonly id: string;
  readonly projectId: string;
  readonly kind: RunKind;
  readonly task: string;
  readonly state: RunState;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly priority: number;
  readonly runsOn: readonly string[];
  readonly source: RunSource;
  readonly origin: RunOrigin;
  /** Number of its cells; 0 if the run itself is executed. */
  readonly cells: number;
  /** The run that it is a cell of. */
  readonly parentId: string | null;
  /** Name of the job of a cell; null for others. */
  readonly job: string | null;
  /** Values of a cell. */
  readonly matrix: CellValues | null;
  /** Why a cell was not run; null unless it was skipped. */
  readonly skipped: string | null;
  readonly shipId: string | null;
  readonly fence: number;
  readonly laneId: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  /** End of the pause between two attempts, in the queue's own time (`queue-time.ts`); 0 if there is none. */
  readonly availableMs: number;
  readonly retryOf: string | null;
  readonly rootId: string;
  readonly retryNumber: number;
  readonly error: RunFailure | null;
  readonly logsExpired: boolean;
  readonly logTruncated: boolean;
  readonly logsBytes: number;
  readonly gitRef: string | null;
  /** The commit that it uses, once that is known. */
  readonly gitCommit: string | null;
  /** Only one run of a group at a time is under way; null for no group. */
  readonly concurrencyGroup: string | null;
  /** Null unless it is queued. */
  readonly waitsFor: WaitsFor | null;
  /** Null if its pipeline requires none, and before its first approval step. */
  readonly approval: Approval | null;
  /** Number of the approval steps of its pipeline that its attempt has passed. */
  readonly part: number;
}

/** State of an approval; times are Unix seconds. */
export interface Approval {
  readonly state: 'waiting' | 'approved' | 'rejected' | 'expired' | 'withdrawn';
  readonly by: string | null;
  readonly at: number | null;
  readonly expiresAt: number;
  /** Name of the approval step; null for the approval before the first step. */
  readonly step: string | null;
  /** What is to be approved; null if the pipeline does not say. */
  readonly message: string | null;
}

/** What a queued run waits for, as the API shows it; `starting`: nothing, it is being assigned. */
/**
 * What a queued run waits for: a ship that takes it; the end of the pause between two attempts; another run to leave
 * its group; an approval; as a cell, the run that it belongs to or the limit of its matrix, or the jobs that its job
 * `needs`. A run with cells waits for its `matrix` from when its cells may start until the first of them does.
 */
export type WaitsFor = 'ship' | 'backoff' | 'concurrency_group' | 'approval' | 'matrix' | 'needs';

export type WaitingReason = Exclude<WaitsFor, 'ship'> | 'project_disabled' | 'no_matching_ship' | 'ship_offline'
  | 'unsupported' | 'ship_draining' | 'concurrency' | 'ship_busy' | 'starting';

/** An assigned run, with what a ship needs to execute it. */
export interface Claim {
  readonly run: RunRecord;
  readonly ref: RunRef;
  readonly input: string | null;
  readonly definition: Definition;
}

/** A taker of runs: the session of a ship, or the ship in this process. */
export interface Worker {
  readonly shipId: string;
  /** Distinguishes connected sessions of one ship. */
  readonly sessionId: string;
  readonly labels: readonly string[];
  readonly kinds: readonly RunKind[];
  /** Names of variables with keys of AI roles that are set there. */
  readonly keyVariables: readonly string[];
  /** Most runs that it may hold, whichever server has assigned them; absent for a worker that belongs to one server. */
  readonly maxHeld?: number;
  /** Number of runs that it would take now. */
  free(): number;
  /**
   * Why it takes nothing, however many slots are free; undefined while it works, and for workers without this function.
   */
  idle?(): 'draining' | 'silent' | undefined;
  /** Assigns a run; the worker accepts or rejects it within 10 seconds. Must not throw. */
  assign(claim: Claim): void;
}

export interface WorkerHandle {
  /** Something has changed, such as free slots or labels. */
  wake(): void;
  remove(): void;
}

export type Outcome = 'succeeded' | 'failed' | 'cancelled' | 'timed_out' | 'ship_error' | 'returned';

/** Codes of errors that ships report for their work (decisions, section 2.2). Only the queue sets the others. */
export const WORK_CODES = ['step_failed', 'timeout', 'model_error', 'model_timeout', 'diagnostic_failed',
  'spawn_failed', 'ship_error', 'internal'] as const;
export type WorkCode = (typeof WORK_CODES)[number];

export interface Completion {
  readonly outcome: Outcome;
  /** `secret_unavailable` if the server itself could not prepare the attempt. */
  readonly error?: { readonly code: WorkCode | 'secret_unavailable'; readonly message: string;
    readonly step: string | null; readonly exitCode: number | null; readonly signal: string | null };
  /** At most 1 MiB. */
  readonly result?: { readonly body: Uint8Array; readonly type: string };
  /** Markdown for people, at most 64 KiB. */
  readonly summary?: string | undefined;
  /** Whether the first step had started; an attempt that is returned before that keeps its number. */
  readonly started: boolean;
  /** The steps that started, in order. */
  readonly steps?: readonly StepRecord[];
}

/** The result of one step of an attempt. */
export interface StepRecord {
  readonly name: string;
  /** Milliseconds since 1970, by the clock of this server as far as the offset is known. */
  readonly startedMs: number;
  readonly endedMs: number;
  readonly outcome: 'succeeded' | 'failed' | 'timed_out' | 'stopped';
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** One assignment of a run. */
export interface AttemptRecord {
  readonly attempt: number;
  readonly shipId: string;
  readonly startedAt: number;
  /** Null while it is under way; its outcome is null then, too. */
  readonly endedAt: number | null;
  readonly outcome: string | null;
  readonly gitCommit: string | null;
  readonly steps: readonly StepRecord[];
}

export type CompletionStatus = 'recorded' | 'already_recorded' | 'fenced';

/** Passed to listeners after the commit of every change of state or attempt. */
export interface RunChange {
  readonly run: RunRecord;
  /** Null for a run that has just been queued. */
  readonly from: RunState | null;
  /** The ship that held it before the change. */
  readonly formerShipId: string | null;
  /**
   * Why an attempt ended without success: the code of the failure, `returned`, `rejected`, `not_accepted` or
   * `cancelled`. `approval`: it ended successfully at an approval step. Absent for other changes.
   */
  readonly reason?: string;
  /** Another server over the same store made the change, and counts it. */
  readonly isRemote?: true;
}

export type ChangingListener = (tx: Transaction, change: RunChange) => Promise<void>;

export interface ListFilter {
  readonly projectId?: string;
  readonly state?: RunState;
  readonly kind?: RunKind;
  readonly source?: RunSource;
  /** Name of the schedule that queued the run. */
  readonly schedule?: string;
  /** Who queued the run, as in its origin. */
  readonly by?: string;
  /** Only the cells of this run. */
  readonly parentId?: string;
  /** Leaves out the cells of matrices. */
  readonly withoutCells?: boolean;
}

/** The queue: the state machine of the decisions, section 2.3, over the store. */
export interface Queue {
  /** Row 1. Runs in the caller's transaction, so that the idempotency key is stored with the run. */
  insert(tx: Transaction, run: NewRun): Promise<RunRecord>;
  get(id: string): Promise<RunRecord | undefined>;
  /** Input and definition of a run, for a retry. */
  material(id: string): Promise<{ input: string | null; inputIsJson: boolean; definition: Definition } | undefined>;
  /**
   * Newest first, strictly older than `before`; pass one more than the page size as `limit` to see whether there is
   * another page.
   */
  list(filter: ListFilter, before: { createdAt: number; id: string } | undefined, limit: number): Promise<RunRecord[]>;
  /** The attempts whose artefacts a run gets from the jobs that its job needs. */
  neededBy(id: string): Promise<NeededAttempt[]>;
  result(id: string): Promise<{ body: Uint8Array; type: string } | undefined>;
  /** What the steps of a finished run have written for people. */
  summary(id: string): Promise<string | undefined>;
  /** Each time that the run was assigned, oldest first, including the current one. */
  attempts(run: RunRecord): Promise<AttemptRecord[]>;
  /** Records the commit of the run; the first one stays. Returns `fenced` if the ship no longer holds the ref. */
  recordSource(ref: RunRef, shipId: string, source: { gitRef: string; commit: string }): Promise<'recorded' | 'fenced'>;
  /** Why a queued run waits, and whether any worker has its labels. */
  explain(run: RunRecord): { waitingReason: WaitingReason | null; labelsMatched: boolean };
  /**
   * Rows 3 and 9, and 11 if the ship is silent. Undefined if the run is in another state. `audit` runs in the same
   * transaction.
   */
  cancel(id: string, audit: (tx: Transaction) => Promise<void>): Promise<RunRecord | undefined>;

  /**
   * Approves a run, which may then start; undefined if it does not wait for an approval. `audit` runs in the same
   * transaction. Throws `run_state_conflict` if a run of its pipeline and group that was queued later has begun.
   */
  approve(id: string, by: string, audit: (tx: Transaction) => Promise<void>): Promise<RunRecord | undefined>;
  /** Like row 3, for a run that waits for an approval. */
  disapprove(id: string, by: string, audit: (tx: Transaction) => Promise<void>): Promise<RunRecord | undefined>;

  /** Registers a worker; it gets runs until it is removed. */
  addWorker(worker: Worker): WorkerHandle;
  accept(ref: RunRef, shipId: string): Promise<'accepted' | 'fenced'>;
  /** Row 12. After `unsupported` the ship gets no runs of that lane for 5 minutes. */
  reject(ref: RunRef, shipId: string, reason: 'full' | 'draining' | 'unsupported'): Promise<void>;
  /** Extends leases, once a second for all ships together. `lost`: refs that the ship no longer holds. */
  renew(shipId: string, refs: readonly RunRef[]): Promise<{ renewed: RunRef[]; lost: RunRef[] }>;
  /** Rows 5 to 8 and 10. */
  complete(ref: RunRef, shipId: string, completion: Completion): Promise<CompletionStatus>;
  /**
   * Returns what to do with each run that a connecting ship still holds; leased runs that it does not hold are queued
   * again.
   */
  resume(shipId: string,
    held: readonly { ref: RunRef; finished: boolean }[]
  ): Promise<{ ref: RunRef; action: 'continue' | 'stop' | 'discard' }[]>;
  /** Takes all runs from a revoked ship (rows 7, 8 and 11), in the transaction that revokes it. */
  evict(tx: Transaction, shipId: string): Promise<void>;
  /** Whether the ship still holds the ref: the condition of every fenced write. */
  holds(tx: Transaction, ref: RunRef, shipId: string): Promise<boolean>;

  /** Adds a listener that is called in the transaction of each change, and rolls it back by a rejection. */
  onChanging(listener: ChangingListener): void;
  /** Adds a listener, which must not throw. Call the returned function to remove it. */
  onChange(listener: (change: RunChange) => void): () => void;
  /** Numbers for metrics and for listings of ships. */
  numbers(): Promise<QueueNumbers>;
  runningOn(shipId: string): number;
  /**
   * Starts assigning runs, and checking leases, deadlines and waiting times. Leases from before the start are extended
   * by one full lease time.
   */
  start(): Promise<void>;
  /** Assigns no more runs. */
  stop(): Promise<void>;
}

export interface QueueNumbers {
  readonly runs: readonly { state: RunState; kind: RunKind; count: number }[];
  readonly oldestQueuedSeconds: readonly { reason: WaitingReason | 'none'; seconds: number }[];
}
