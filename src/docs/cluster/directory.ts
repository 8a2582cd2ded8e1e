import { Pace } from '../../lib/pace.ts';
import type { ClusterRows, ProcessRow } from './cluster-rows.ts';
import { ClusterState, type KnownNode } from './cluster-state.ts';
import { decoded, type Holdings } from './holdings.ts';
import { placeAll, type Placement } from './placement.ts';
import type { SizedUnit, UnitNumber } from './unit.ts';

interface DirectoryDeps {
  readonly rows: ClusterRows;
  /** Name of this node. */
  readonly self: string;
  readonly replicas: number;
  readonly now: () => number;
}

interface Placed {
  /** The nodes, as JSON. */
  readonly nodes: string;
  readonly units: readonly SizedUnit[];
  readonly placement: Placement;
}

interface Read {
  readonly number: number;
  readonly units: Holdings;
}

const NOTHING: Holdings = new Map();

/** Reads what nodes say of themselves, and computes what follows from it. What has not changed is read only once. */
export class Directory {
  readonly #deps: DirectoryDeps;
  /** What processes have announced last. */
  #read: ReadonlyMap<string, Read> = new Map();
  #holders: ReadonlyMap<UnitNumber, readonly KnownNode[]> = new Map();
  #placed: Placed | undefined;

  constructor(deps: DirectoryDeps) {
    this.#deps = deps;
  }

  /** `units`: all that exist, with estimates of their sizes, which those that nodes announce replace. */
  async refresh(units: readonly SizedUnit[]): Promise<ClusterState> {
    const { rows, self, replicas, now } = this.#deps;
    let found = await rows.processes();
    if (found.some(({ isGone, remainingMs }) => !isGone && remainingMs <= 0)) {
      await rows.bury();
      found = await rows.processes();
    }
    // After the answer, so that this node takes no other for gone before the database does.
    const at = now();
    const last = [...new Map(found.map((row) => [row.name, row])).values()];
    await this.#readHoldings(last);
    const nodes = last.map(({ remainingMs, ...node }) => ({
      ...node,
      aliveUntil: at + remainingMs,
      units: this.#read.get(node.process)?.units ?? NOTHING,
    }));
    await this.#findHolders(nodes);
    const placement = await this.#place(nodes.filter(({ isGone }) => !isGone), units);
    return new ClusterState({ self, replicas, nodes, placement, holders: this.#holders, now });
  }

  async #readHoldings(nodes: readonly ProcessRow[]): Promise<void> {
    const alive = nodes.filter(({ isGone, holdings }) => !isGone && holdings > 0).map(({ process }) => process);
    const read = new Map([...this.#read].filter(([process]) => alive.includes(process)));
    const changed = nodes.filter(({ process, isGone, holdings }) =>
      !isGone && holdings > (read.get(process)?.number ?? 0)
    );
    if (changed.length > 0) {
      for (const { process, number, units } of await this.#deps.rows.holdingsOf(changed.map((node) => node.process)))
        read.set(process, { number, units: decoded(units) });
    }
    this.#read = read;
  }

  async #findHolders(nodes: readonly KnownNode[]): Promise<void> {
    const pace = new Pace();
    const holders = new Map<UnitNumber, KnownNode[]>();
    for (const node of nodes) {
      for (const unit of node.units.keys()) {
        const known = holders.get(unit);
        if (known === undefined) holders.set(unit, [node]);
        else known.push(node);
      }
      if (pace.isDue) await pace.rest();
    }
    this.#holders = holders;
  }

  async #place(alive: readonly KnownNode[], estimates: readonly SizedUnit[]): Promise<Placement> {
    const { replicas } = this.#deps;
    const nodes = JSON.stringify(alive.map(({ name, weight, limit, isDraining }) => [name, weight, limit, isDraining]));
    // Without a limit sizes decide nothing, and a document more is no reason to place again.
    const isLimited = alive.some(({ limit }) => limit > 0);
    const units = estimates.map(({ unit, bytes }) => ({ unit, bytes: isLimited ? this.#bytesOf(unit) ?? bytes : 0 }));
    const last = this.#placed;
    const isSame = last?.nodes === nodes && last.units.length === units.length &&
      last.units.every(({ unit, bytes }, at) => unit === units[at]!.unit && bytes === units[at]!.bytes);
    if (isSame) return last.placement;
    const placement = await placeAll(units, alive, replicas);
    this.#placed = { nodes, units, placement };
    return placement;
  }

  /** The largest size that a node has announced. */
  #bytesOf(unit: UnitNumber): number | undefined {
    const sizes = this.#holders.get(unit)?.map(({ units }) => units.get(unit)!);
    return sizes && Math.max(...sizes);
  }
}
