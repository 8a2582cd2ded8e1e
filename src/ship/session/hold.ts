import type { Assignment, Resume, RunRef } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { Lru } from '../../lib/caches.ts';
import type { Log } from '../../lib/log.ts';
import type { Executor } from '../execute/port.ts';
import { refKey, type ShipLink } from '../link.ts';
import { HeldRun } from '../run/held-run.ts';
import type { Spools } from '../spool/spool-file.ts';
import type { ShipTime } from '../time.ts';

/** Number of runs whose last fencing token is remembered after they have left the ship. */
const MAX_REMEMBERED = 10_000;

interface HoldOptions {
  readonly executor: Executor;
  readonly link: ShipLink;
  readonly spools: Spools;
  readonly time: ShipTime;
  readonly log: Log;
  leaseTtlMs(): number;
  /** Whether the server is unreachable, but leases continue. */
  isBridging(): boolean;
  /** Called when a run is taken, changes or leaves. Must not throw. */
  onChange(): void;
}

/**
 * All runs on a ship: those that it holds, and those that it no longer holds but whose processes are still alive. No
 * attempt is executed twice, and no two attempts of a run at once.
 */
export class Hold {
  readonly #options: HoldOptions;
  readonly #aboard = new Map<string, HeldRun>();
  readonly #latestFence = new Lru<string, bigint>(MAX_REMEMBERED);

  constructor(options: HoldOptions) {
    this.#options = options;
  }

  /** Runs that the ship holds. */
  held(): HeldRun[] {
    return [...this.#aboard.values()].filter(({ isHeld }) => isHeld);
  }

  /** Slots in use. */
  get working(): number {
    return [...this.#aboard.values()].filter(({ isWorking }) => isWorking).length;
  }

  /** Whether any run has ever been taken, whatever happened to it. */
  get hasTaken(): boolean {
    return this.#latestFence.size > 0;
  }

  get isEmpty(): boolean {
    return this.#aboard.size === 0;
  }

  /** How long all held runs can continue without the server. */
  get outageMs(): number {
    return Math.min(...this.held().map(({ outageMs }) => outageMs));
  }

  has(ref: RunRef): boolean {
    return this.#aboard.get(refKey(ref))?.isHeld ?? false;
  }

  /**
   * Whether this assignment, or a later one of the same run, was seen before: then it is a repetition, not a new one.
   */
  hasSeen({ runId, fencingToken }: RunRef): boolean {
    return (this.#latestFence.get(runId) ?? -1n) >= fencingToken;
  }

  /** Starts a new assignment. The lease counts from `leaseFrom`, or from a later renewal. */
  take(assignment: Assignment & { readonly ref: RunRef }, leaseFrom: number): void {
    const { ref } = assignment;
    this.#latestFence.set(ref.runId, ref.fencingToken);
    const former = [...this.#aboard.values()].filter((run) => run.ref.runId === ref.runId);
    for (const run of former) run.discard('the server has handed it out again');
    const run = new HeldRun({
      ...this.#options,
      assignment,
      leaseFrom,
      leaseTtlMs: () => this.#options.leaseTtlMs(),
      isBridging: () => this.#options.isBridging(),
      after: Promise.all(former.map(({ over }) => over)).then(() => undefined),
      onChange: () => this.#options.onChange(),
    });
    this.#aboard.set(run.key, run);
    void run.over.then(() => {
      this.#aboard.delete(run.key);
      this.#options.onChange();
    });
    this.#options.onChange();
  }

  cancel(ref: RunRef, graceMs: number): void {
    this.#find(ref)?.cancel(graceMs);
  }

  discard(refs: readonly RunRef[], reason: string): void {
    for (const ref of refs) this.#find(ref)?.discard(reason);
  }

  /** The leases of these runs count from `sentAt`. */
  renew(refs: readonly RunRef[], sentAt: number): void {
    for (const ref of refs) this.#find(ref)?.renew(sentAt);
  }

  /** The leases of all held runs count from `since`, because no server could have ended them before. */
  renewAll(since: number): void {
    for (const run of this.held()) run.renew(since);
  }

  resume(resumes: readonly Resume[]): void {
    for (const { ref, action, nextSeq } of resumes) if (ref !== undefined) this.#find(ref)?.resume(action, nextSeq);
  }

  giveBackAll(): void {
    for (const run of this.held()) run.giveBack();
  }

  /** Resolves when the work of all current runs has ended. */
  async workEnded(): Promise<void> {
    await Promise.all([...this.#aboard.values()].map(({ workEnded }) => workEnded));
  }

  /** Resolves when no process is alive any more. */
  async discardAll(reason: string): Promise<void> {
    for (const run of this.held()) run.discard(reason);
    await Promise.all([...this.#aboard.values()].map(({ over }) => over));
  }

  #find(ref: RunRef): HeldRun | undefined {
    return this.#aboard.get(refKey(ref));
  }
}
