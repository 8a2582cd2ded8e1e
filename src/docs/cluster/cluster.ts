import type { Log } from '../../lib/log.ts';
import { Loop, type LoopOptions } from '../../lib/loop.ts';
import type { Peers } from '../../storage/index.ts';
import type { ClusterRows, NodeFacts } from './cluster-rows.ts';
import type { ClusterState, KnownNode, Route } from './cluster-state.ts';
import { Directory } from './directory.ts';
import { Announcement, type Holdings } from './holdings.ts';
import { Membership } from './membership.ts';
import { Ownership } from './ownership.ts';
import type { SizedUnit, UnitNumber } from './unit.ts';

/** How often a node renews its lease and reads the rows of the others. */
export const EVERY_MS = 2000;
/** A unit stays in memory for this long after its announcement has ended, because others may not have read that yet. */
export const GRACE_MS = 3 * EVERY_MS;
/** The message that a node sends to the others when they should read its row. */
const CHANGED = 'nodes changed';

/** What a node has in memory. */
export interface Holding {
  /** The units whose indexes serve, with their bytes. */
  readonly ready: Holdings;
  /** Bytes of all indexes. */
  readonly used: number;
  /** The LSN that all indexes have reached; 0 while that is not known. */
  readonly position: number;
}

export interface ClusterDeps {
  readonly rows: ClusterRows;
  readonly facts: NodeFacts;
  /** On how many nodes each unit should be. */
  readonly replicas: number;
  /** All units, with estimates of their sizes, in the order of their numbers. */
  readonly units: () => Promise<readonly SizedUnit[]>;
  readonly holding: () => Holding;
  readonly peers?: Pick<Peers, 'notify' | 'listen'> | undefined;
  readonly log: Log;
  readonly timer?: LoopOptions['timer'];
  readonly random?: LoopOptions['random'];
  /** Milliseconds of a clock that never jumps. */
  readonly now?: () => number;
  readonly newProcess?: () => string;
}

/**
 * This node among those that share the database. It renews its lease, announces what it has ready, and reads the same
 * of the others; every node computes by itself which units it is meant for, from the same rows. A node that cannot
 * reach the database decides by what it has read last, until its lease ends.
 *
 * A unit that this node is not meant to hold leaves in two steps. First its announcement ends; some seconds later, if
 * the rows that are read then still have others that are ready, it may be dropped. So nodes that leave it to each other
 * at the same moment do not all drop it: the last of them finds that it is alone.
 */
export class Cluster {
  readonly #deps: ClusterDeps;
  readonly #membership: Membership;
  readonly #directory: Directory;
  readonly #ownership: Ownership;
  readonly #announcement = new Announcement();
  readonly #loop: Loop;
  readonly #now: () => number;
  /** The process whose announcement the rows have. */
  #announcing: string | undefined;
  #unsent: string | undefined;
  /** Units whose announcement has ended or ends next, and since when. */
  #leaving: ReadonlyMap<UnitNumber, number> = new Map();
  /** Those of them that others certainly have. */
  #dispensable: ReadonlySet<UnitNumber> = new Set();
  #state: ClusterState | undefined;
  #changed = Promise.withResolvers<void>();
  #stopListening: (() => void) | undefined;
  /** Nodes that failed to answer, with the ends of their leases at that time: a later lease clears them. */
  readonly #failed = new Map<string, number>();

  constructor(deps: ClusterDeps) {
    const { rows, facts, replicas, log, timer, random, now = () => performance.now(), newProcess } = this.#deps = deps;
    this.#now = now;
    this.#membership = new Membership({ rows, facts, log, now, ...(newProcess && { newProcess }) });
    this.#directory = new Directory({ rows, self: facts.name, replicas, now });
    this.#ownership = new Ownership(rows, () => this.#membership.process);
    const failure = 'the lease of this node could not be renewed, or the rows of others not be read; trying again';
    this.#loop = new Loop({
      name: 'nodes',
      everyMs: EVERY_MS,
      backoff: { initial: EVERY_MS, max: EVERY_MS },
      log,
      timer,
      random,
      failure,
    }, () => this.#round());
  }

  /** Begins to look; rounds that fail are tried again. */
  start(): void {
    this.#stopListening ??= this.#deps.peers?.listen((message) => {
      if (message === undefined || message === CHANGED) this.#loop.wake();
    });
    this.#loop.start();
  }

  /** Leaves the others, so that they need not wait for the end of the lease. Never rejects. */
  async stop(): Promise<void> {
    this.#stopListening?.();
    this.#stopListening = undefined;
    await this.#loop.stop();
    await this.#membership.leave().then(() => this.#tell(),
      (error: unknown) =>
        this.#deps.log.warn({ err: error }, 'this node could not give up its lease; the others wait for its end'));
  }

  /** There is something new to announce, or a row has changed. */
  wake(): void {
    this.#loop.wake();
  }

  /** A row that other nodes read has changed. */
  tell(): void {
    this.#tell();
    this.#loop.wake();
  }

  /** Name of this node. */
  get self(): string {
    return this.#deps.facts.name;
  }

  get replicas(): number {
    return this.#deps.replicas;
  }

  /** What this node knows of all nodes; undefined until it has read their rows. */
  get state(): ClusterState | undefined {
    return this.#state;
  }

  /** What this node knows; waits for the first reading, if that is not done. */
  async known(): Promise<ClusterState> {
    while (this.#state === undefined) await this.#changed.promise;
    return this.#state;
  }

  /** Resolves when the nodes have been read again. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  /** Whether the lease of this node certainly lasts. */
  get isMember(): boolean {
    return this.#membership.process !== undefined;
  }

  /** How many units this node has announced. */
  get announced(): number {
    return this.isMember ? this.#state?.nodes.find(({ name }) => name === this.self)?.units.size ?? 0 : 0;
  }

  /** How many units this node owns. */
  get owned(): number {
    return this.#ownership.size;
  }

  /** The units that this node is meant to hold. */
  wanted(): UnitNumber[] {
    return this.#state?.wantedOf(this.self) ?? [];
  }

  /** Whether this node should hold a unit: false until it knows. */
  isWanted(unit: UnitNumber): boolean {
    return this.#state?.isWanted(unit) === true;
  }

  /** Whether this node may remove a unit from memory now. Ask again right before that. */
  mayDrop(unit: UnitNumber): boolean {
    return this.#dispensable.has(unit) && !this.isWanted(unit);
  }

  /** The nodes that can be asked for a unit now, the best first: `ClusterState.routeOf`. */
  routeOf(unit: UnitNumber): Route[] {
    return this.#state?.routeOf(unit, (node) => this.#hasFailed(node)) ?? [];
  }

  /** A node did not answer: it is asked after others, until it has renewed its lease again. */
  failed(name: string): void {
    const node = this.#state?.nodes.find((each) => each.name === name);
    if (node !== undefined) this.#failed.set(name, node.aliveUntil);
  }

  /** The epoch in which this node writes the checkpoints of a unit now; undefined if it must not. */
  ownerEpochOf(unit: UnitNumber): number | undefined {
    return this.#ownership.epochOf(unit);
  }

  #hasFailed({ name, aliveUntil }: KnownNode): boolean {
    const at = this.#failed.get(name);
    // Moments are computed from two clocks at each reading, so one that is only a little later is the same lease.
    return at !== undefined && aliveUntil < at + EVERY_MS / 2;
  }

  #tell(): void {
    this.#deps.peers?.notify(CHANGED);
  }

  async #round(): Promise<void> {
    const units = await this.#deps.units();
    const holding = this.#deps.holding();
    if (this.#membership.process === undefined) await this.#renew(holding);
    const isNews = await this.#announce(holding.ready);
    await this.#renew(holding);
    const state = await this.#directory.refresh(units);
    this.#follow(state, holding.ready);
    await this.#ownership.update(this.#ownUnits(state));
    if (isNews) this.#tell();
  }

  async #renew({ used, position }: Holding): Promise<void> {
    const holdings = this.#announcing === undefined ? 0 : this.#announcement.number;
    await this.#membership.renew({ used, position, holdings });
  }

  /** Returns whether there was something new to announce. */
  async #announce(ready: Holdings): Promise<boolean> {
    const { process } = this.#membership;
    if (process === undefined) return false;
    if (process !== this.#announcing) this.#announcement.forget();
    const units = new Map([...ready].filter(([unit]) => !this.#leaving.has(unit)));
    this.#unsent = this.#announcement.update(units) ?? this.#unsent;
    this.#announcing = process;
    if (this.#unsent === undefined) return false;
    await this.#deps.rows.announce({ process, number: this.#announcement.number, units: this.#unsent });
    this.#unsent = undefined;
    return true;
  }

  #follow(state: ClusterState, ready: Holdings): void {
    const now = this.#now();
    this.#state = state;
    const surplus = [...ready.keys()].filter((unit) => state.isDispensable(unit));
    // Others wait for the announcement of a unit that this node is to serve again.
    if (new Set(surplus).intersection(this.#leaving).size < this.#leaving.size) this.#loop.wake();
    this.#leaving = new Map(surplus.map((unit) => [unit, this.#leaving.get(unit) ?? now]));
    // In the rows that were read, the announcements of these have ended.
    this.#dispensable = new Set(surplus.filter((unit) => this.#leaving.get(unit)! <= now - GRACE_MS));
    const changed = this.#changed;
    this.#changed = Promise.withResolvers();
    changed.resolve();
  }

  /** The units that this node has announced and of which it is the first. */
  #ownUnits(state: ClusterState): Set<UnitNumber> {
    const own = state.nodes.find(({ name }) => name === this.self);
    return new Set([...own?.units.keys() ?? []].filter((unit) => state.writerOf(unit) === this.self));
  }
}
