import type { Clock, Timer } from '../../../lib/clock.ts';
import { type EmbeddingCapacity, type PendingDocument, type Reservation, UNLIMITED_CAPACITY,
  type WaitBudget } from '../../documents/index.ts';

interface GateOptions {
  /** Maximum number of documents in the queue. */
  readonly size: number;
  /** Milliseconds that a write waits for places; 0 never waits. */
  readonly waitMs: number;
  /** Returns those of some documents that need a place; called only if there are not enough places for all. */
  readonly needing: (documents: readonly PendingDocument[]) => Promise<readonly PendingDocument[]>;
  readonly clock: Clock;
  readonly timer: Timer;
}

/** Places that a committed write holds until the follower has read its changes and counts the documents themselves. */
interface Ticket {
  readonly lsn: number;
  readonly count: number;
}

interface Waiter {
  readonly wanted: number;
  got: number;
  readonly enough: AbortController;
}

/**
 * Counts the queue of documents to embed and makes writes wait for places in it. Its depth is the number of rows in its
 * table plus the places that writes have reserved for documents that are not in the table yet. Waiting writes get
 * places in the order in which they came.
 */
export class QueueGate implements EmbeddingCapacity {
  readonly #options: GateOptions;
  readonly #waiters: Waiter[] = [];
  #tickets: Ticket[] = [];
  /** Undefined while the gate is closed: then nothing is queued and nothing is counted. */
  #position: number | undefined;
  #queued = 0;
  #reserved = 0;
  #dropped = 0;
  /** Changes when the gate is closed, which voids earlier reservations. */
  #life = 0;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#position === undefined ? Infinity : this.#options.size;
  }

  /** Number of documents in the queue. */
  get depth(): number {
    return this.#queued + this.#reserved;
  }

  /** Number of documents since the start that did not fit the queue. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Starts to count, from the number of rows in the table after the feed was followed up to `position`. */
  open(position: number, queued: number): void {
    this.#position = position;
    this.#queued = queued;
  }

  /** All waiting writes continue, and nothing is dropped. */
  close(): void {
    this.#position = undefined;
    this.#life++;
    this.#queued = 0;
    this.#reserved = 0;
    this.#tickets = [];
    for (const { enough } of this.#waiters.splice(0)) enough.abort();
  }

  /** Sets the number of documents that the table of the queue contains now. */
  count(queued: number): void {
    if (this.#position === undefined) return;
    this.#queued = queued;
    this.#letIn();
  }

  /** As `count`, after all changes up to the position are included. */
  followed(position: number, queued: number = this.#queued): void {
    if (this.#position === undefined) return;
    this.#position = position;
    const done = this.#tickets.filter(({ lsn }) => lsn <= position);
    this.#tickets = this.#tickets.filter(({ lsn }) => lsn > position);
    for (const ticket of done) this.#reserved -= ticket.count;
    this.count(queued);
  }

  /** Reserves places for changes that were committed before the gate was opened and are not in the table yet. */
  expect(count: number, lsn: number): void {
    this.#reserved += count;
    this.#tickets.push({ lsn, count });
  }

  /** Until it is opened. */
  get isUnlimited(): boolean {
    return this.#position === undefined;
  }

  waitBudget(): WaitBudget {
    return { left: this.#options.waitMs };
  }

  async reserve(documents: readonly PendingDocument[], waitBudget: WaitBudget,
    signal?: AbortSignal): Promise<Reservation>
  {
    if (this.isUnlimited || documents.length === 0) return UNLIMITED_CAPACITY.reserve([], waitBudget);
    const ids = [...new Map(documents.map((each) => [each.id, each])).values()];
    if (this.#waiters.length === 0 && ids.length <= this.#free()) return this.#take(ids.length);
    const life = this.#life;
    const needing = await this.#options.needing(ids);
    const got = life === this.#life ? await this.#wait(needing.length, waitBudget, signal) : 0;
    // The gate was closed meanwhile, so nothing is counted.
    if (life !== this.#life) return UNLIMITED_CAPACITY.reserve([], waitBudget);
    return this.#reservation(got, new Set(needing.slice(got).map(({ id }) => id)));
  }

  #free(): number {
    return Math.max(0, this.#options.size - this.depth);
  }

  #take(count: number): Reservation {
    this.#reserved += count;
    return this.#reservation(count, new Set());
  }

  /** Waits for places and returns how many were reserved. */
  async #wait(wanted: number, waitBudget: WaitBudget, signal: AbortSignal | undefined): Promise<number> {
    const waiter: Waiter = { wanted, got: 0, enough: new AbortController() };
    this.#waiters.push(waiter);
    this.#letIn();
    if (waiter.got < wanted && waitBudget.left > 0) await this.#sleep(waiter, waitBudget, signal);
    const at = this.#waiters.indexOf(waiter);
    if (at >= 0) this.#waiters.splice(at, 1);
    if (signal?.aborted) {
      if (this.#position !== undefined) this.#giveBack(waiter.got);
      throw signal.reason;
    }
    this.#letIn();
    return waiter.got;
  }

  async #sleep({ enough }: Waiter, waitBudget: WaitBudget, signal: AbortSignal | undefined): Promise<void> {
    const { clock, timer } = this.#options;
    const begun = clock.now();
    await timer.sleep(waitBudget.left, signal === undefined ? enough.signal : AbortSignal.any([enough.signal, signal]));
    // A wait that did not end because of free places has used up all the time, whatever the clock says.
    waitBudget.left = enough.signal.aborted ? Math.max(0, waitBudget.left - (clock.now() - begun)) : 0;
  }

  #letIn(): void {
    while (this.#waiters.length > 0) {
      const first = this.#waiters[0]!;
      const given = Math.min(this.#free(), first.wanted - first.got);
      first.got += given;
      this.#reserved += given;
      if (first.got < first.wanted) return;
      this.#waiters.shift();
      first.enough.abort();
    }
  }

  #giveBack(count: number): void {
    this.#reserved -= count;
    this.#letIn();
  }

  #reservation(count: number, dropped: ReadonlySet<string>): Reservation {
    const life = this.#life;
    return {
      dropped,
      commit: (lsn, lost) => {
        this.#dropped += lost;
        if (life !== this.#life) return;
        if (lsn <= this.#position!) this.#giveBack(count);
        else this.#tickets.push({ lsn, count });
      },
      cancel: () => {
        if (life === this.#life) this.#giveBack(count);
      },
    };
  }
}
