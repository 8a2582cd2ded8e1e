import { EVERY_MS } from '../../docs/cluster/cluster.ts';
import { LEASE_MS } from '../../docs/cluster/membership.ts';
import type { SizedUnit, UnitNumber } from '../../docs/cluster/unit.ts';
import { MemoryRows } from './memory-rows.ts';
import { SimulatedNode, type SimulatedNodeOptions } from './simulated-node.ts';
import { SimulatedTime } from './simulated-time.ts';

interface SimulationOptions {
  readonly units: readonly SizedUnit[];
  readonly replicas: number;
  /** Returns numbers from 0 to 1. */
  readonly random: () => number;
  /** Milliseconds between checks of what must always hold. */
  readonly checkMs: number;
}

/** Nodes whose death others cannot know of yet count as there: a last renewal may take effect late. */
const UNNOTICED_MS = LEASE_MS + 25_000;

/** Many nodes over one database; finds what must never happen. */
export class Simulation {
  readonly time = new SimulatedTime();
  /** The nodes that run, by their names. */
  readonly nodes = new Map<string, SimulatedNode>();
  /** What should not have happened, in words. */
  readonly violations: string[] = [];
  /** The longest time for which a unit that some node had announced had no owner, in milliseconds. */
  longestUnowned = 0;
  readonly rows: MemoryRows;
  readonly #options: SimulationOptions;
  #checked = -Infinity;
  /** Since when each unit has no owner. */
  readonly #unowned = new Map<UnitNumber, number>();
  /** Highest epoch in which each unit was owned. */
  readonly #epochs = new Map<UnitNumber, { readonly epoch: number; readonly node: SimulatedNode }>();
  readonly #ended: { readonly node: SimulatedNode; readonly at: number; readonly units: Set<UnitNumber> }[] = [];

  constructor(options: SimulationOptions) {
    this.#options = options;
    this.rows = new MemoryRows(() => Math.floor(1.7e12 + this.time.now));
  }

  /** A new process; one that has the same name must have ended. */
  start(name: string, more: Pick<SimulatedNodeOptions, 'weight' | 'limit'> = {}): SimulatedNode {
    const { units, replicas, random } = this.#options;
    const node = new SimulatedNode({
      ...more,
      name,
      units,
      replicas,
      random,
      rows: this.rows,
      time: this.time,
      onDrop: (dropping, unit) => this.#checkDrop(dropping, unit),
    });
    this.nodes.set(name, node);
    node.start();
    return node;
  }

  kill(name: string): void {
    const node = this.nodes.get(name)!;
    this.nodes.delete(name);
    this.#ended.push({ node, at: this.time.now, units: new Set(node.served()) });
    node.kill();
  }

  stop(name: string): void {
    const node = this.nodes.get(name)!;
    this.nodes.delete(name);
    this.#ended.push({ node, at: this.time.now, units: new Set(node.served()) });
    void node.stop();
  }

  async advance(milliseconds: number): Promise<void> {
    await this.time.advance(milliseconds, () => {
      if (this.time.now < this.#checked + this.#options.checkMs) return;
      this.#checked = this.time.now;
      this.check();
    });
  }

  /** Advances until every unit is ready on as many nodes as wanted and on no others; returns the milliseconds. */
  async settle(most = 3_600_000): Promise<number> {
    const begun = this.time.now;
    while (!this.#isSettled()) {
      if (this.time.now - begun > most) throw new Error(`the nodes have not settled after ${most} ms`);
      await this.advance(1000);
    }
    return this.time.now - begun;
  }

  /** Bytes and numbers of units that all nodes, ended ones included, have read so far. */
  get loaded(): { readonly units: number; readonly bytes: number } {
    const all = [...this.nodes.values(), ...this.#ended.map(({ node }) => node)];
    return {
      units: all.reduce((sum, { loadedUnits }) => sum + loadedUnits, 0),
      bytes: all.reduce((sum, { loadedBytes }) => sum + loadedBytes, 0),
    };
  }

  /** The bytes of the node that has the most for its weight, to the mean; draining nodes do not count. */
  get imbalance(): number {
    const known = [...this.nodes.values()][0]!.cluster.state!.nodes;
    const able = known.filter(({ name, isDraining }) => this.nodes.has(name) && !isDraining);
    const used = able.map(({ name }) => this.nodes.get(name)!.used);
    const weight = able.reduce((sum, node) => sum + node.weight, 0);
    const mean = used.reduce((sum, bytes) => sum + bytes, 0) / weight;
    return Math.max(...able.map((node, at) => used[at]! / node.weight)) / mean;
  }

  check(): void {
    const owned = new Set<UnitNumber>();
    for (const { unit } of this.#options.units) {
      const owners = [...this.nodes.values()].filter((node) => node.cluster.ownerEpochOf(unit) !== undefined);
      if (owners.length > 1) this.#report(`${owners.map(({ name }) => name).join(' and ')} both own ${unit}`);
      for (const node of owners) this.#checkEpoch(unit, node);
      if (owners.length > 0) owned.add(unit);
    }
    this.#checkRoutes(owned);
  }

  /** Epochs of later owners are greater. */
  #checkEpoch(unit: UnitNumber, node: SimulatedNode): void {
    const epoch = node.cluster.ownerEpochOf(unit)!;
    const last = this.#epochs.get(unit);
    if (last !== undefined && (epoch < last.epoch || epoch === last.epoch && node !== last.node))
      this.#report(`${node.name} owns ${unit} in epoch ${epoch} after ${last.node.name} in ${last.epoch}`);
    this.#epochs.set(unit, { epoch, node });
  }

  #checkRoutes(owned: ReadonlySet<UnitNumber>): void {
    const now = this.time.now;
    const asking = [...this.nodes.values()].find((node) => !node.isStalled && node.readAt > now - 2 * EVERY_MS);
    for (const { unit } of this.#options.units) {
      const isServed = [...this.nodes.values()].some((node) => node.cluster.isMember && node.serves(unit));
      if (owned.has(unit) || !isServed) this.#unowned.delete(unit);
      else if (!this.#unowned.has(unit)) this.#unowned.set(unit, now);
      this.longestUnowned = Math.max(this.longestUnowned, now - (this.#unowned.get(unit) ?? now));
      const routes = asking?.cluster.routeOf(unit).filter(({ isReady }) => isReady) ?? [];
      if (routes.length > 0 && !routes.some(({ name }) => this.#isServedBy(name, unit)))
        this.#report(`${asking!.name} would ask ${routes.map(({ name }) => name).join(', ')} for ${unit} in vain`);
    }
  }

  /** A node that has just ended counts, too: the others cannot know. */
  #isServedBy(name: string, unit: UnitNumber): boolean {
    return this.nodes.get(name)?.serves(unit) === true || this.#hasJustServed(unit, (node) => node.name === name);
  }

  #hasJustServed(unit: UnitNumber, is: (node: SimulatedNode) => boolean): boolean {
    return this.#ended.some(({ node, at, units }) => is(node) && units.has(unit) && at > this.time.now - UNNOTICED_MS);
  }

  #checkDrop(dropping: SimulatedNode, unit: UnitNumber): void {
    const others = [...this.nodes.values()].filter((node) => node !== dropping && node.serves(unit));
    if (others.length === 0 && !this.#hasJustServed(unit, () => true))
      this.#report(`${dropping.name} dropped ${unit}, which no other has`);
  }

  #isSettled(): boolean {
    const { units, replicas } = this.#options;
    const holders = new Map<UnitNumber, number>();
    for (const node of this.nodes.values()) {
      for (const unit of node.served()) {
        if (!node.cluster.isWanted(unit)) return false;
        holders.set(unit, (holders.get(unit) ?? 0) + 1);
      }
    }
    const able = [...this.nodes.values()].filter(({ cluster }) =>
      cluster.state?.nodes.find(({ name }) => name === cluster.self)?.isDraining === false
    );
    return units.every(({ unit }) =>
      holders.get(unit) === Math.min(replicas, able.length) &&
      [...this.nodes.values()].some(({ cluster }) => cluster.ownerEpochOf(unit) !== undefined)
    );
  }

  #report(what: string): void {
    this.violations.push(`after ${Math.round(this.time.now)} ms: ${what}`);
  }
}
