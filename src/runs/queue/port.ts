import type { Transaction } from '../../storage/index.ts';
import type { Definition } from '../definitions/definition.ts';
import type { CellValues } from '../config/index.ts';
import type { Concurrency, ResolvedCell } from '../definitions/run-request.ts';

// Times named `...Ms` are milliseconds since 1970; those named `...At` are seconds, as the API shows them.

export type RunKind = 'diagnostic' | 'pipeline' | 'ai_text';
export type RunState = 'queued' | 'running' | 'cancelling' | 'succeeded' | 'failed' | 'cancelled';
export type RunSource = 'api' | 'retry' | 'schedule' | 'alert';

/** Who or what queued a run. */
export interface RunOrigin {
  /** As the audit log has it; null where the service did by itself. */
  readonly by: string | null;
  readonly schedule?: string;
  readonly alertLabels?: Readonly<Record<string, string>>;
}

/** One attempt of a run as it was handed out; `fence` rises at each claim, requeue and forced cancel. */
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
  /** The runs that it stands for, in their order; absent where it is executed itself. */
  readonly cells?: readonly ResolvedCell[];
  /** Values of the cell that it repeats by itself. */
  readonly matrix?: CellValues;
  /** How long it waits for an approval; absent where it needs none. */
  readonly approvalMs?: number;
  /** Branch, tag or commit to be checked out; absent for the default branch, or for nothing. */
  readonly gitRef?: string;
  /** The run that this one repeats; it works on the same commit. */
  readonly retryOf?: RunRecord;
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
  /** Null for runs of earlier formats. */
  readonly origin: RunOrigin | null;
  /** How many runs it stands for; 0 where it is executed itself. */
  readonly cells: number;
  /** The run that it is a cell of. */
  readonly parentId: string | null;
  /** Values of a cell. */
  readonly matrix: CellValues | null;
  readonly shipId: string | null;
  readonly fence: number;
  readonly laneId: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  /** Until when it waits between two attempts, in the queue's own time (`queue-time.ts`); 0 when it does not. */
  readonly availableMs: number;
  readonly retryOf: string | null;
  readonly rootId: string;
  readonly retryNumber: number;
  readonly error: RunFailure | null;
  readonly logsExpired: boolean;
  readonly logTruncated: boolean;
  readonly logsBytes: number;
  readonly gitRef: string | null;
  /** What it works on, once it is known. */
  readonly gitCommit: string | null;
  /** Runs of one group are under way one at a time; null for none. */
  readonly concurrencyGroup: string | null;
  /** Another run has its group. */
  readonly waitsForGroup: boolean;
  /** The run that it is a cell of, or the limit of its matrix, keeps it waiting. */
  readonly waitsForMatrix: boolean;
  /** Null where its pipeline asks for none. */
  readonly approval: Approval | null;
}

/** What became of an approval; times are Unix seconds. */
export interface Approval {
  readonly state: 'waiting' | 'approved' | 'rejected' | 'expired' | 'withdrawn';
  readonly by: string | null;
  readonly at: number | null;
  readonly expiresAt: number;
}

/** What a queued run waits for, as the API shows it; `starting`: for nothing, it is being handed out. */
export type WaitingReason =
  | 'project_disabled' | 'approval' | 'backoff' | 'concurrency_group' | 'matrix' | 'no_matching_ship' | 'ship_offline' | 'unsupported' | 'ship_draining' | 'concurrency' | 'ship_busy' | 'starting';

/** A run that has been handed out, with what a ship needs to work on it. */
export interface Claim {
  readonly run: RunRecord;
  readonly ref: RunRef;
  readonly input: string | null;
  readonly definition: Definition;
}

/** Somebody who takes runs: the session of a ship, or the ship in this process. */
export interface Worker {
  readonly shipId: string;
  /** Connected sessions of one ship differ in it. */
  readonly sessionId: string;
  readonly labels: readonly string[];
  readonly kinds: readonly RunKind[];
  /** Names of variables with keys of AI roles that are set there. */
  readonly keyVariables: readonly string[];
  /** Runs that it would take now. */
  free(): number;
  /** Why it takes nothing, however much room it has; undefined while it works, and always where a worker does not have it. */
  idle?(): 'draining' | 'silent' | undefined;
  /** Hands it a run; it accepts or rejects within 10 seconds. Must not throw. */
  assign(claim: Claim): void;
}

export interface WorkerHandle {
  /** Something changed: it has more room, other labels. */
  wake(): void;
  remove(): void;
}

export type Outcome = 'succeeded' | 'failed' | 'cancelled' | 'timed_out' | 'ship_error' | 'returned';

export interface Completion {
  readonly outcome: Outcome;
  readonly error?: { readonly code: string; readonly message: string; readonly step: string | null; readonly exitCode: number | null; readonly signal: string | null };
  /** At most 1 MiB. */
  readonly result?: { readonly body: Uint8Array; readonly type: string };
  /** Whether the first step had begun; an attempt that is returned before that keeps its number. */
  readonly started: boolean;
  /** The steps that began, in their order. */
  readonly steps?: readonly StepRecord[];
}

/** How one step of an attempt went. */
export interface StepRecord {
  readonly name: string;
  /** Milliseconds since 1970, by the clock of this server as far as it is known. */
  readonly startedMs: number;
  readonly endedMs: number;
  readonly outcome: 'succeeded' | 'failed' | 'timed_out' | 'stopped';
  readonly exitCode: number | null;
  readonly signal: string | null;
}

/** One time that a run was handed out. */
export interface AttemptRecord {
  readonly attempt: number;
  readonly shipId: string;
  readonly startedAt: number;
  /** Null while it is under way, as its outcome. */
  readonly endedAt: number | null;
  readonly outcome: string | null;
  readonly gitCommit: string | null;
  readonly steps: readonly StepRecord[];
}

export type CompletionStatus = 'recorded' | 'already_recorded' | 'fenced';

/** Told after the commit of every change of state or attempt. */
export interface RunChange {
  readonly run: RunRecord;
  /** Null for a run that has just been queued. */
  readonly from: RunState | null;
  /** The ship that held it before the change. */
  readonly formerShipId: string | null;
  /** Why an attempt ended without success: the code of the failure, `returned`, `rejected`, `not_accepted` or `cancelled`; absent for other changes. */
  readonly reason?: string;
  /** Another server over the same store made it, and counts it. */
  readonly isRemote?: true;
}

export interface ListFilter {
  readonly projectId?: string;
  readonly state?: RunState;
  readonly kind?: RunKind;
  readonly source?: RunSource;
  /** Only the cells of this run. */
  readonly parentId?: string;
  /** Leaves out the cells of matrices. */
  readonly withoutCells?: boolean;
}

/** The queue: the state machine of the decisions, section 2.3, over the store. */
export interface Queue {
  /** Row 1. In the caller's transaction, so that the idempotency key is stored with it. */
  insert(tx: Transaction, run: NewRun): Promise<RunRecord>;
  get(id: string): Promise<RunRecord | undefined>;
  /** Input and definition of a run, for a retry. */
  material(id: string): Promise<{ input: string | null; inputIsJson: boolean; definition: Definition } | undefined>;
  /** Newest first, strictly older than `before`; one more than `limit` tells that there is another page. */
  list(filter: ListFilter, before: { createdAt: number; id: string } | undefined, limit: number): Promise<RunRecord[]>;
  result(id: string): Promise<{ body: Uint8Array; type: string } | undefined>;
  /** Each time that the run was handed out, oldest first, the one under way included. */
  attempts(run: RunRecord): Promise<AttemptRecord[]>;
  /** Records what the run works on; what was recorded first stays. Undefined when the ref is no longer the ship's. */
  recordSource(ref: RunRef, shipId: string, source: { gitRef: string; commit: string }): Promise<'recorded' | 'fenced'>;
  /** Why a queued run waits, and whether any worker has its labels. */
  explain(run: RunRecord): { waitingReason: WaitingReason | null; labelsMatched: boolean };
  /** Rows 3 and 9, and 11 for a ship that is silent. Undefined when the run is in another state. `audit` runs in the same transaction. */
  cancel(id: string, audit: (tx: Transaction) => Promise<void>): Promise<RunRecord | undefined>;

  /** Lets a run that waits for it start; undefined when the run does not wait for it. `audit` runs in the same transaction. */
  approve(id: string, by: string, audit: (tx: Transaction) => Promise<void>): Promise<RunRecord | undefined>;
  /** As row 3, for a run that waits for an approval. */
  disapprove(id: string, by: string, audit: (tx: Transaction) => Promise<void>): Promise<RunRecord | undefined>;

  /** Lets it get runs until it is removed. */
  addWorker(worker: Worker): WorkerHandle;
  accept(ref: RunRef, shipId: string): Promise<'accepted' | 'fenced'>;
  /** Row 12. `unsupported` keeps runs of that lane from this ship for 5 minutes. */
  reject(ref: RunRef, shipId: string, reason: 'full' | 'draining' | 'unsupported'): Promise<void>;
  /** Extends leases, those of all ships together once a second. `lost`: no longer the ship's. */
  renew(shipId: string, refs: readonly RunRef[]): Promise<{ renewed: RunRef[]; lost: RunRef[] }>;
  /** Rows 5 to 8 and 10. */
  complete(ref: RunRef, shipId: string, completion: Completion): Promise<CompletionStatus>;
  /** What to do with each run that a ship still holds when it connects; what it does not hold but was leased is queued again. */
  resume(shipId: string, held: readonly { ref: RunRef; finished: boolean }[]): Promise<{ ref: RunRef; action: 'continue' | 'stop' | 'discard' }[]>;
  /** Takes all runs from a revoked ship (rows 7, 8 and 11), in the transaction that revokes it. */
  evict(tx: Transaction, shipId: string): Promise<void>;
  /** Whether the ref is still the ship's: the condition of every fenced write. */
  holds(tx: Transaction, ref: RunRef, shipId: string): Promise<boolean>;

  /** Must not throw. The answer stops it. */
  onChange(listener: (change: RunChange) => void): () => void;
  /** Numbers for metrics and for listings of ships. */
  numbers(): Promise<QueueNumbers>;
  runningOn(shipId: string): number;
  /** Whether a run of the project is unfinished that this source queued with this task. */
  unfinished(projectId: string, kind: RunKind, task: string, source: RunSource): Promise<boolean>;
  /** Begins handing out, and looking after leases, deadlines and waiting times. Leases that it finds get one full time to live. */
  start(): Promise<void>;
  /** Hands out no more. */
  stop(): Promise<void>;
}

export interface QueueNumbers {
  readonly runs: readonly { state: RunState; kind: RunKind; count: number }[];
  readonly oldestQueuedSeconds: readonly { reason: WaitingReason | 'none'; seconds: number }[];
}
