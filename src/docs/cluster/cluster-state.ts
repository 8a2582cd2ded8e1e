import type { ProcessRow } from './cluster-rows.ts';
import type { Holdings } from './holdings.ts';
import type { Placement } from './placement.ts';
import { type UnitNumber, unitOf, unitsFrom } from './unit.ts';

/** A node as this one knows it. */
export interface KnownNode extends Omit<ProcessRow, 'remainingMs'> {
  /** When its lease ends, by the clock of this node, or a little later. */
  readonly aliveUntil: number;
  /** What it has announced. */
  readonly units: Holdings;
}

/** A node that can be asked for a unit. */
export interface Route {
  readonly name: string;
  readonly address: string;
  /** False while it loads the unit: it then has a search wait, or refuses it. */
  readonly isReady: boolean;
  /** The LSN that its indexes have certainly reached. */
  readonly position: number;
}

interface StateFacts {
  /** Name of this node. */
  readonly self: string;
  readonly replicas: number;
  /** In the order of their names. */
  readonly nodes: readonly KnownNode[];
  readonly placement: Placement;
  /** The nodes that have announced a unit, in the order of their names. */
  readonly holders: ReadonlyMap<UnitNumber, readonly KnownNode[]>;
  readonly now: () => number;
}

/** A unit with fewer ready nodes than wanted. */
export interface ShortUnit {
  readonly unit: UnitNumber;
  readonly ready: readonly string[];
}

/** What this node knows of all nodes at one moment, and what follows from that. It does not change. */
export class ClusterState {
  readonly #facts: StateFacts;
  readonly #byName: ReadonlyMap<string, KnownNode>;
  /** Numbers of partitions that nodes have announced, by the numbers of divided collections; found when asked for. */
  #announced: ReadonlyMap<number, ReadonlySet<number>> | undefined;

  constructor(facts: StateFacts) {
    this.#facts = facts;
    this.#byName = new Map(facts.nodes.map((node) => [node.name, node]));
  }

  get nodes(): readonly KnownNode[] {
    return this.#facts.nodes;
  }

  get placement(): Placement {
    return this.#facts.placement;
  }

  isAlive({ isGone, aliveUntil }: KnownNode): boolean {
    return !isGone && this.#facts.now() < aliveUntil;
  }

  /** Milliseconds until the lease of a node ends. */
  leaseMs({ aliveUntil }: KnownNode): number {
    return Math.max(0, aliveUntil - this.#facts.now());
  }

  /** The live nodes that have the unit ready: those that it is meant for, in their order, and then others. */
  readyFor(unit: UnitNumber): KnownNode[] {
    const chosen = this.chosenFor(unit);
    const holders = (this.#facts.holders.get(unit) ?? []).filter((node) => this.isAlive(node));
    return [...chosen.filter((node) => holders.includes(node)), ...holders.filter((node) => !chosen.includes(node))];
  }

  /** Whether live nodes have all units ready of a collection that is divided into so many partitions. */
  isComplete(collection: number, partitions: number): boolean {
    return unitsFrom(collection, partitions).every((unit) => this.readyFor(unit).length > 0);
  }

  /** Whether a node has announced a partition of a collection in another division than this one. */
  hasOtherDivision(collection: number, partitions: number): boolean {
    const announced = this.#divisionsOf(collection);
    return announced.size > 1 || (announced.size === 1 && !announced.has(partitions));
  }

  /** Numbers of partitions of a collection of which live nodes have all; several while it is divided anew. */
  completeDivisionsOf(collection: number): number[] {
    return [...this.#divisionsOf(collection)].filter((each) => this.isComplete(collection, each));
  }

  #divisionsOf(collection: number): ReadonlySet<number> {
    this.#announced ??= divisionsIn(this.#facts.holders.keys());
    return this.#announced.get(collection) ?? NONE;
  }

  /**
   * The nodes that can be asked for a unit, the best first: those that have it ready, this node before others; then
   * those that load it. Nodes that have just failed to answer come last of their kind. None if no live node has it or
   * shall have it.
   */
  routeOf(unit: UnitNumber, hasFailed: (node: KnownNode) => boolean = () => false): Route[] {
    const ready = this.readyFor(unit);
    const loading = this.chosenFor(unit).filter((node) => this.isAlive(node) && !ready.includes(node));
    const rank = (node: KnownNode): number =>
      (ready.includes(node) ? 0 : 4) + (hasFailed(node) ? 2 : 0) + (node.name === this.#facts.self ? 0 : 1);
    return [...ready, ...loading].sort((one, other) => rank(one) - rank(other)).map((node) => ({
      name: node.name,
      address: node.address,
      isReady: ready.includes(node),
      position: node.position,
    }));
  }

  /** The nodes that a unit is meant for. */
  chosenFor(unit: UnitNumber): KnownNode[] {
    return (this.#facts.placement.get(unit) ?? []).flatMap((name) => this.#byName.get(name) ?? []);
  }

  /** The units that a node is meant to hold. */
  wantedOf(name: string): UnitNumber[] {
    return [...this.#facts.placement].flatMap(([unit, names]) => (names.includes(name) ? [unit] : []));
  }

  isWanted(unit: UnitNumber): boolean {
    return this.#facts.placement.get(unit)?.includes(this.#facts.self) === true;
  }

  /**
   * Whether others have a unit that this node holds and is not meant to hold: as many of those that it is meant for as
   * there can be. A node that uses more memory than it may is content with one. Units that are not known are never
   * dispensable, because a new collection is written before it is placed.
   */
  isDispensable(unit: UnitNumber): boolean {
    const { placement, replicas, self } = this.#facts;
    const chosen = placement.get(unit);
    if (chosen === undefined || chosen.includes(self)) return false;
    const ready = this.readyFor(unit).filter(({ name }) => name !== self);
    const enough = ready.filter(({ name }) => chosen.includes(name)).length >= Math.min(replicas, chosen.length);
    const own = this.#byName.get(self);
    const isOver = own !== undefined && own.limit > 0 && own.used > own.limit;
    return ready.length > 0 && (isOver || chosen.length > 0 && enough);
  }

  /** The node that shall write the checkpoints of a unit: the first that has it ready. */
  writerOf(unit: UnitNumber): string | undefined {
    return this.readyFor(unit)[0]?.name;
  }

  /** Units with fewer ready nodes than `replicas`, in the order of their numbers. */
  short(): ShortUnit[] {
    const { placement, replicas } = this.#facts;
    return [...placement.keys()].sort((one, other) => one - other).flatMap((unit) => {
      const ready = this.readyFor(unit);
      return ready.length < replicas ? [{ unit, ready: ready.map(({ name }) => name) }] : [];
    });
  }
}

const NONE: ReadonlySet<number> = new Set();

function divisionsIn(units: Iterable<UnitNumber>): ReadonlyMap<number, ReadonlySet<number>> {
  const divisions = new Map<number, Set<number>>();
  for (const unit of units) {
    const { collection, partitions } = unitOf(unit);
    const known = divisions.get(collection);
    if (known === undefined) divisions.set(collection, new Set([partitions]));
    else known.add(partitions);
  }
  return divisions;
}
