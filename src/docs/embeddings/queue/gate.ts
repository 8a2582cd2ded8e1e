import type { Clock } from '../../../lib/clock.ts';
import type { Timer } from '../../../lib/timer.ts';
import { UNLIMITED_CAPACITY, type EmbeddingCapacity, type WaitBudget, type Reservation, type PendingDocument } from '../../documents/index.ts';

export interface GateOptions {
  /** Documents that the queue holds. */
  readonly size: number;
  /** Milliseconds that a write waits for room; 0 never waits. */
  readonly waitMs: number;
  /** Those of some documents that would take room; asked only when there is not enough for all. */
  readonly needing: (documents: readonly PendingDocument[]) => Promise<readonly PendingDocument[]>;
  readonly clock: Clock;
  readonly timer: Timer;
}

/** Room that a committed write holds until its change was followed, when its documents are counted themselves. */
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
 * Counts the queue of documents to embed and lets writes wait for room in it (decision D-16). What it
 * holds is what stands in the table of the queue, and what writes have reserved that are not there yet.
 * Room goes to those who wait in the order in which they came.
 */
export class QueueGate implements EmbeddingCapacity {
  readonly #options: GateOptions;
  readonly #waiters: Waiter[] = [];
  #tickets: Ticket[] = [];
  /** Undefined while the gate is closed: then nothing is queued, and nothing is counted. */
  #position: number | undefined;
  #queued = 0;
  #reserved = 0;
  #dropped = 0;
  /** Changes when the gate is closed, so that what was reserved before means nothing any more. */
  #life = 0;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#position === undefined ? Infinity : this.#options.size;
  }

  /** Documents in the queue. */
  get depth(): number {
    return this.#queued + this.#reserved;
  }

  /** Documents since the start for which there was no room. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Begins to count, from what the table holds once the feed has been followed to a position. */
  open(position: number, queued: number): void {
    this.#position = position;
    this.#queued = queued;
  }

  /** Whoever waits goes on, with nothing dropped. */
  close(): void {
    this.#position = undefined;
    this.#life++;
    this.#queued = 0;
    this.#reserved = 0;
    this.#tickets = [];
    for (const { enough } of this.#waiters.splice(0)) enough.abort();
  }

  /** The table of the queue holds so many documents now. */
  count(queued: number): void {
    if (this.#position === undefined) return;
    this.#queued = queued;
    this.#letIn();
  }

  /** As `count`; all changes up to the position are in it. */
  followed(position: number, queued: number = this.#queued): void {
    if (this.#position === undefined) return;
    this.#position = position;
    const done = this.#tickets.filter(({ lsn }) => lsn <= position);
    this.#tickets = this.#tickets.filter(({ lsn }) => lsn > position);
    for (const ticket of done) this.#reserved -= ticket.count;
    this.count(queued);
  }

  /** Room for changes that were committed before the gate was opened and are not in the table yet. */
  expect(count: number, lsn: number): void {
    this.#reserved += count;
    this.#tickets.push({ lsn, count });
  }

  waitBudget(): WaitBudget {
    return { left: this.#options.waitMs };
  }

  async reserve(documents: readonly PendingDocument[], waitBudget: WaitBudget, signal?: AbortSignal): Promise<Reservation> {
    if (this.#position === undefined || documents.length === 0) return UNLIMITED_CAPACITY.reserve([], waitBudget);
    const ids = [...new Map(documents.map((each) => [each.id, each])).values()];
    if (this.#waiters.length === 0 && ids.length <= this.#free()) return this.#take(ids.length);
    const life = this.#life;
    const needing = await this.#options.needing(ids);
    const got = life === this.#life ? await this.#wait(needing.length, waitBudget, signal) : 0;
    // The gate was closed meanwhile: nobody counts any more.
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

  /** Answers how much of the room was found, which is reserved. */
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
    // A wait that was not ended by room has used up all of the budget, whatever the clock says.
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
