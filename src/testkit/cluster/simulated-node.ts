import type { ClusterRows } from '../../docs/cluster/cluster-rows.ts';
import { Cluster } from '../../docs/cluster/cluster.ts';
import type { SizedUnit, UnitNumber } from '../../docs/cluster/unit.ts';
import { ServiceError } from '../../errors/index.ts';
import type { Timer } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import type { SimulatedTime } from './simulated-time.ts';

/** Bytes of checkpoints that a node reads in a second. */
const READ_PER_SECOND = 250e6;
/** A request to the database whose answer is lost fails after so many milliseconds. */
const TIMEOUT_MS = 5000;
const FOREVER = new Promise<never>(() => undefined);

export interface SimulatedNodeOptions {
  readonly name: string;
  readonly weight?: number;
  /** Bytes; 0 for no limit. */
  readonly limit?: number;
  readonly replicas: number;
  readonly units: readonly SizedUnit[];
  readonly rows: ClusterRows;
  readonly time: SimulatedTime;
  readonly random: () => number;
  /** Called right before a unit leaves the memory. */
  readonly onDrop: (node: SimulatedNode, unit: UnitNumber) => void;
}

/**
 * A process with the real `Cluster`, over a simulated network and clock. What it holds is only counted: units that it
 * is meant to hold are loaded one after the other, and those that it may drop are dropped.
 */
export class SimulatedNode implements Timer {
  readonly cluster: Cluster;
  readonly name: string;
  /** It reaches the database. */
  isConnected = true;
  /** Part of the requests whose answer is lost, and that may take effect later. */
  lossRate = 0;
  /** Bytes that it has read so far. */
  loadedBytes = 0;
  loadedUnits = 0;
  /** When it has read the rows of the others last, in simulated time. */
  readAt = -Infinity;
  readonly #options: SimulatedNodeOptions;
  /** Its clock runs a little faster or slower than others, and began at another time. */
  readonly #rate: number;
  readonly #offset: number;
  readonly #dead = new AbortController();
  #stalledUntil = 0;
  readonly #bytes: ReadonlyMap<UnitNumber, number>;
  /** When each unit that it has in memory is ready, in simulated time. */
  readonly #held = new Map<UnitNumber, number>();
  #reading = 0;

  constructor(options: SimulatedNodeOptions) {
    const { name, weight = 100, limit = 0, replicas, units, rows, time, random } = this.#options = options;
    this.name = name;
    this.#rate = 1 + (random() - 0.5) * 0.01;
    this.#offset = random() * 1e9;
    this.#bytes = new Map(units.map(({ unit, bytes }) => [unit, bytes]));
    let processes = 0;
    const life = Math.floor(random() * 2 ** 48).toString(36);
    this.cluster = new Cluster({
      rows: overNetwork(rows, (call) => this.#request(call)),
      facts: { name, address: `${name}:11024`, version: '0.1.0', weight, limit },
      replicas,
      units: () => Promise.resolve(units),
      holding: () => ({ ready: this.#ready(), used: this.used, position: 1 }),
      log: silentLog,
      timer: this,
      random,
      now: () => this.#offset + time.now * this.#rate,
      newProcess: () => `${name}-${life}-${processes++}`,
    });
  }

  start(): void {
    this.#options.time.tasks += 1;
    this.cluster.start();
    void this.#follow();
  }

  /** Ends it in order. */
  async stop(): Promise<void> {
    await this.cluster.stop();
    this.#options.time.tasks -= 1;
    this.#dead.abort();
  }

  /** Ends it at once: nothing of it runs any more. */
  kill(): void {
    this.#dead.abort();
    this.#options.time.tasks -= 1;
  }

  /** Nothing of it runs for some time. */
  stall(milliseconds: number): void {
    this.#stalledUntil = this.#options.time.now + milliseconds;
  }

  get isRunning(): boolean {
    return !this.#dead.signal.aborted;
  }

  get isStalled(): boolean {
    return this.#stalledUntil > this.#options.time.now;
  }

  get used(): number {
    return this.#held.keys().reduce((sum, unit) => sum + this.#bytes.get(unit)!, 0);
  }

  /** Whether it could answer for a unit. */
  serves(unit: UnitNumber): boolean {
    return this.isRunning && (this.#held.get(unit) ?? Infinity) <= this.#options.time.now;
  }

  /** The units that it serves. */
  served(): UnitNumber[] {
    return [...this.#held.keys()].filter((unit) => this.serves(unit));
  }

  async sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    const { time } = this.#options;
    const dead = this.#dead.signal;
    if (dead.aborted) return FOREVER;
    await time.sleep(milliseconds / this.#rate, signal === undefined ? dead : AbortSignal.any([dead, signal]));
    while (this.isStalled && !dead.aborted) await time.sleep(this.#stalledUntil - time.now, dead);
    if (dead.aborted) return FOREVER;
  }

  #ready(): Map<UnitNumber, number> {
    return new Map(this.served().map((unit) => [unit, this.#bytes.get(unit)!]));
  }

  async #request<T>(call: () => Promise<T>): Promise<T> {
    const { random, time } = this.#options;
    const latency = (): number => 1 + 20 * random() ** 4;
    await this.sleep(latency());
    const isLost = !this.isConnected || random() < this.lossRate;
    if (!isLost) {
      const value = await call();
      await this.sleep(latency());
      return value;
    }
    if (this.isConnected) void later(time, random() * 4 * TIMEOUT_MS, call);
    await this.sleep(TIMEOUT_MS);
    throw new ServiceError('unavailable', 'the database did not answer');
  }

  /** What a node does with what it learns. */
  async #follow(): Promise<void> {
    while (this.isRunning) {
      await this.cluster.changed;
      if (!this.isRunning) return;
      this.readAt = this.#options.time.now;
      this.#drop();
      this.#load();
    }
  }

  #drop(): void {
    const now = this.#options.time.now;
    for (const [unit, readyAt] of this.#held) {
      const isLoading = readyAt > now;
      if (isLoading ? this.cluster.isWanted(unit) : !this.cluster.mayDrop(unit)) continue;
      if (!isLoading) this.#options.onDrop(this, unit);
      this.#held.delete(unit);
    }
  }

  #load(): void {
    const { limit = 0, time } = this.#options;
    let used = this.used;
    for (const unit of this.cluster.wanted()) {
      const bytes = this.#bytes.get(unit)!;
      if (this.#held.has(unit) || limit > 0 && used + bytes > limit) continue;
      this.#reading = Math.max(this.#reading, time.now) + bytes / READ_PER_SECOND * 1000;
      this.#held.set(unit, this.#reading);
      used += bytes;
      this.loadedBytes += bytes;
      this.loadedUnits += 1;
    }
  }
}

/** What was sent takes effect although nobody waits for it any more. */
async function later(time: SimulatedTime, milliseconds: number, call: () => Promise<unknown>): Promise<void> {
  time.tasks += 1;
  await time.sleep(milliseconds);
  await call();
  time.tasks -= 1;
}

function overNetwork(rows: ClusterRows, request: <T>(call: () => Promise<T>) => Promise<T>): ClusterRows {
  return {
    join: (...args) => request(() => rows.join(...args)),
    renew: (...args) => request(() => rows.renew(...args)),
    leave: (...args) => request(() => rows.leave(...args)),
    bury: (...args) => request(() => rows.bury(...args)),
    processes: (...args) => request(() => rows.processes(...args)),
    announce: (...args) => request(() => rows.announce(...args)),
    holdingsOf: (...args) => request(() => rows.holdingsOf(...args)),
    setDraining: (...args) => request(() => rows.setDraining(...args)),
    take: (...args) => request(() => rows.take(...args)),
    ownedBy: (...args) => request(() => rows.ownedBy(...args)),
    release: (...args) => request(() => rows.release(...args)),
  };
}
