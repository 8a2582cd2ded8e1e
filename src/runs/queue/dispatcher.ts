import { RepeatedFailure } from '../../lib/log.ts';
import type { Transaction } from '../../storage/index.ts';
import { BATCH, claimByLane, CLAIMING, claimNext, type FreeSlots, type Handout } from './claiming.ts';
import { type Core, UNSUPPORTED_MS } from './core.ts';
import { canTake, hasLabels, type Lane } from './lanes.ts';
import type { WaitingReason, Worker, WorkerHandle } from './port.ts';

/** Why no connected worker can take the runs of a lane. */
type Refusal = Extract<WaitingReason, 'no_matching_ship' | 'unsupported' | 'ship_draining' | 'ship_offline'>;

interface DispatcherHooks {
  /** Returns a run to the queue if its worker has left. */
  readonly giveBack: (handout: Handout) => Promise<void>;
  /** Called with the time that a batch took. */
  readonly onHandedOut: (seconds: number) => void;
}

/**
 * A worker that has just refused a run because it is full gets nothing for this long, whatever free slots it reports.
 */
const REFUSED_MS = 1000;

/**
 * Assigns runs to all workers of this server, one batch after another. It works only when it is woken: when a run is
 * queued or ends, when a slot becomes free, and once a second by the queue's tick.
 */
export class Dispatcher {
  readonly #core: Core;
  readonly #hooks: DispatcherHooks;
  readonly #registry = new WorkerRegistry();
  /** Until when a ship gets no runs of a lane (key: `ship lane`), or no runs at all (key: `ship`). */
  readonly #avoided = new Map<string, number>();
  #woken = Promise.withResolvers<void>();
  #stopping = new AbortController();
  #running: Promise<void> | undefined;

  constructor(core: Core, hooks: DispatcherHooks) {
    this.#core = core;
    this.#hooks = hooks;
  }

  add(worker: Worker): WorkerHandle {
    this.#registry.add(worker);
    this.wake();
    const wake = (): void => {
      this.#registry.changed(worker);
      this.wake();
    };
    return { wake, remove: () => this.#registry.remove(worker) };
  }

  /** Whether a connected worker has all these labels. */
  anyHas(selectors: readonly string[]): boolean {
    return this.#registry.anyHas(selectors);
  }

  /**
   * Whether connected workers could take runs of the lane, and if not, why; `hasRoom`: a worker would take a run now.
   */
  availability(lane: Lane): { readonly refusal: Refusal | undefined; readonly hasRoom: boolean } {
    const refuse = (refusal: Refusal) => ({ refusal, hasRoom: false });
    const able = [...this.#registry.ableTo(lane)];
    if (able.length === 0) return refuse(this.#registry.anyHas(lane.selectors) ? 'unsupported' : 'no_matching_ship');
    const avoided = this.#avoiding();
    const willing = able.filter(({ shipId }) => !avoided(`${shipId} ${lane.id}`));
    if (willing.length === 0) return refuse('unsupported');
    const working = willing.filter((worker) => worker.idle?.() === undefined);
    if (working.length === 0)
      return refuse(willing.some((worker) => worker.idle?.() === 'draining') ? 'ship_draining' : 'ship_offline');
    return { refusal: undefined, hasRoom: working.some((worker) => worker.free() >= 1 && !avoided(worker.shipId)) };
  }

  refused(shipId: string, laneId: number | undefined): void {
    const now = this.#core.time.now();
    for (const [key, until] of this.#avoided) if (until <= now) this.#avoided.delete(key);
    if (laneId === undefined) this.#avoided.set(shipId, now + REFUSED_MS);
    else this.#avoided.set(`${shipId} ${laneId}`, now + UNSUPPORTED_MS);
  }

  wake(): void {
    this.#woken.resolve();
  }

  start(): void {
    if (this.#running !== undefined) return;
    this.#stopping = new AbortController();
    this.#running = this.#run(this.#stopping.signal);
  }

  /** Waits for the current batch. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.wake();
    await this.#running;
    this.#running = undefined;
  }

  /** Assigns runs until the backlog is empty or no worker has a free slot. */
  async dispatch(signal?: AbortSignal): Promise<void> {
    while (!signal?.aborted && this.#core.lanes.hasBacklog && this.#hasRoom()) {
      let isBlocked = false;
      let count = await this.#hand(async (tx, freeSlots) => {
        const found = await claimNext(this.#core, tx, freeSlots);
        isBlocked = found.isBlocked;
        return found.handouts;
      });
      if (isBlocked) count = await this.#hand((tx, freeSlots) => claimByLane(this.#core, tx, freeSlots));
      if (count < BATCH) return;
    }
  }

  async #run(signal: AbortSignal): Promise<void> {
    const failure = new RepeatedFailure(this.#core.env.log, 'runs could not be assigned; the next tick tries again');
    this.wake(); // for runs that were queued before the start
    for (;;) {
      await this.#woken.promise;
      if (signal.aborted) return;
      this.#woken = Promise.withResolvers();
      try {
        await this.dispatch(signal);
        failure.over();
      } catch (error) {
        failure.note(error);
      }
    }
  }

  /** Returns how many runs were assigned. */
  async #hand(claim: (tx: Transaction, freeSlots: FreeSlots) => Promise<Handout[]>): Promise<number> {
    const { time, env } = this.#core;
    const begun = time.elapsed();
    const handouts = await env.sql.transaction((tx) => claim(tx, this.#freeSlots()), CLAIMING);
    if (handouts.length > 0) this.#hooks.onHandedOut((time.elapsed() - begun) / 1000);
    await this.#assign(handouts);
    return handouts.length;
  }

  #hasRoom(): boolean {
    const avoided = this.#avoiding();
    for (const worker of this.#registry.workers()) if (worker.free() >= 1 && !avoided(worker.shipId)) return true;
    return false;
  }

  /**
   * Returns a function that tells whether a ship (key: `ship`), or a ship for one lane (key: `ship lane`), gets nothing
   * at the moment.
   */
  #avoiding(): (key: string) => boolean {
    const now = this.#core.time.now();
    return (key) => (this.#avoided.get(key) ?? 0) > now;
  }

  #freeSlots(): FreeSlots {
    const avoided = this.#avoiding();
    const rooms = new Map<Worker, number>();
    for (const worker of this.#registry.workers()) {
      const room = avoided(worker.shipId) ? 0 : Math.floor(worker.free());
      if (room > 0) rooms.set(worker, room);
    }
    let total = [...rooms.values()].reduce((sum, room) => sum + room, 0);
    return {
      total: () => total,
      freest: (lane) => {
        const able = this.#registry.ableTo(lane);
        let best: Worker | undefined;
        let most = 0;
        for (const [worker, room] of rooms) {
          if (room <= most || !able.has(worker) || avoided(`${worker.shipId} ${lane.id}`)) continue;
          best = worker;
          most = room;
        }
        return best;
      },
      take: (worker) => {
        const left = rooms.get(worker)! - 1;
        if (left === 0) rooms.delete(worker);
        else rooms.set(worker, left);
        total -= 1;
      },
    };
  }

  async #assign(handouts: readonly Handout[]): Promise<void> {
    const gone = handouts.filter(({ worker }) => !this.#registry.has(worker));
    for (const handout of handouts) if (!gone.includes(handout)) handout.worker.assign(handout.claim);
    // the worker left while the claims were being committed
    for (const handout of gone) await this.#hooks.giveBack(handout);
  }
}

/**
 * The worker registry: the connected workers, and for each lane the workers that can take its runs. These sets are kept
 * and not searched for each claim, because there may be a thousand ships and hundreds of lanes.
 */
class WorkerRegistry {
  readonly #abilities = new Map<Worker, string>();
  readonly #ofLane = new Map<number, { readonly lane: Lane; readonly workers: Set<Worker> }>();

  add(worker: Worker): void {
    this.#abilities.set(worker, abilitiesOf(worker));
    for (const { lane, workers } of this.#ofLane.values()) if (canTake(worker, lane)) workers.add(worker);
  }

  remove(worker: Worker): void {
    this.#abilities.delete(worker);
    for (const { workers } of this.#ofLane.values()) workers.delete(worker);
  }

  /** Its labels, kinds or keys may have changed. */
  changed(worker: Worker): void {
    const before = this.#abilities.get(worker);
    if (before === undefined || before === abilitiesOf(worker)) return;
    this.remove(worker);
    this.add(worker);
  }

  has(worker: Worker): boolean {
    return this.#abilities.has(worker);
  }

  workers(): Iterable<Worker> {
    return this.#abilities.keys();
  }

  /** Whether any worker has all these labels. */
  anyHas(selectors: readonly string[]): boolean {
    for (const worker of this.#abilities.keys()) if (hasLabels(worker, selectors)) return true;
    return false;
  }

  ableTo(lane: Lane): ReadonlySet<Worker> {
    const known = this.#ofLane.get(lane.id);
    if (known !== undefined) return known.workers;
    const workers = new Set([...this.#abilities.keys()].filter((worker) => canTake(worker, lane)));
    this.#ofLane.set(lane.id, { lane, workers });
    return workers;
  }
}

const abilitiesOf = ({ labels, kinds, keyVariables }: Worker): string => JSON.stringify([labels, kinds, keyVariables]);
