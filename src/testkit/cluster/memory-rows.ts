import type { ClusterRows, HoldingsRow, NodeFacts, NodeReport, Owned,
  ProcessRow } from '../../docs/cluster/cluster-rows.ts';
import type { UnitNumber } from '../../docs/cluster/unit.ts';

type Stored = Omit<ProcessRow, 'remainingMs'> & { readonly leaseUntil: number };

const FORGOTTEN_MS = 7 * 24 * 3_600_000;

/** What `SqlRows` does in a database, with maps: the database of simulations. Its clock is passed in. */
export class MemoryRows implements ClusterRows {
  readonly #now: () => number;
  readonly #processes = new Map<string, Stored>();
  readonly #holdings = new Map<string, HoldingsRow>();
  readonly #owners = new Map<UnitNumber, { readonly process: string; readonly epoch: number }>();
  readonly #draining = new Map<string, boolean>();

  /** `now`: milliseconds of the clock of the database. */
  constructor(now: () => number) {
    this.#now = now;
  }

  async join(facts: NodeFacts, process: string, leaseMs: number, byForce: boolean): Promise<boolean> {
    if (this.#processes.has(process)) return false;
    const others = this.#named(facts.name);
    if (!byForce && others.some(({ isGone, leaseUntil }) => !isGone && leaseUntil > this.#now())) return false;
    this.#processes.set(process, {
      ...facts,
      process,
      epoch: (others.at(-1)?.epoch ?? 0) + 1,
      isGone: false,
      isDraining: this.#draining.get(facts.name) ?? false,
      used: 0,
      position: 0,
      holdings: 0,
      leaseUntil: this.#now() + leaseMs,
    });
    return true;
  }

  async renew(process: string, leaseMs: number, report: NodeReport): Promise<boolean> {
    const row = this.#processes.get(process);
    if (row === undefined || row.isGone || this.#isSuperseded(row)) return false;
    this.#processes.set(process, { ...row, ...report, leaseUntil: this.#now() + leaseMs });
    return true;
  }

  async leave(process: string): Promise<void> {
    const row = this.#processes.get(process);
    if (row !== undefined) this.#processes.set(process, { ...row, isGone: true, leaseUntil: this.#now() });
  }

  async bury(): Promise<void> {
    const now = this.#now();
    for (const row of this.#processes.values())
      if (row.leaseUntil <= now) this.#processes.set(row.process, { ...row, isGone: true });
    const forgotten = [...this.#processes.values()].filter((row) =>
      row.isGone && (row.leaseUntil <= now - FORGOTTEN_MS || this.#isSuperseded(row))
    );
    for (const { process } of forgotten) {
      this.#processes.delete(process);
      this.#holdings.delete(process);
    }
  }

  async processes(): Promise<ProcessRow[]> {
    const now = this.#now();
    return [...this.#processes.values()].filter((row) => !row.isGone || !this.#isSuperseded(row)).sort((one,
      other) => (one.name === other.name ? one.epoch - other.epoch : one.name < other.name ? -1 : 1)
    ).map(({ leaseUntil, ...row }) => ({
      ...row,
      isDraining: this.#draining.get(row.name) ?? false,
      remainingMs: leaseUntil - now,
    }));
  }

  async announce(holdings: HoldingsRow): Promise<void> {
    const known = this.#holdings.get(holdings.process);
    if (known === undefined || known.number < holdings.number) this.#holdings.set(holdings.process, holdings);
  }

  async holdingsOf(processes: readonly string[]): Promise<HoldingsRow[]> {
    return processes.flatMap((process) => this.#holdings.get(process) ?? []);
  }

  async setDraining(name: string, isDraining: boolean): Promise<boolean> {
    if (this.#named(name).length === 0) return false;
    this.#draining.set(name, isDraining);
    return true;
  }

  async take(process: string, units: readonly UnitNumber[]): Promise<Owned[]> {
    const taken: Owned[] = [];
    for (const unit of units) {
      const owner = this.#owners.get(unit);
      const isFree = owner === undefined || owner.process === process ||
        (this.#processes.get(owner.process)?.isGone ?? true);
      if (!isFree) continue;
      const epoch = (owner?.epoch ?? 0) + 1;
      this.#owners.set(unit, { process, epoch });
      taken.push({ unit, epoch });
    }
    return taken;
  }

  async ownedBy(process: string): Promise<Owned[]> {
    return [...this.#owners].flatMap((
      [unit, owner],
    ) => (owner.process === process ? [{ unit, epoch: owner.epoch }] : [])).sort((one, other) => one.unit - other.unit);
  }

  async release(process: string, owned: readonly Owned[]): Promise<void> {
    for (const { unit, epoch } of owned) {
      const owner = this.#owners.get(unit);
      if (owner?.process === process && owner.epoch === epoch) this.#owners.set(unit, { process: '', epoch });
    }
  }

  /** The processes of a name, by epoch. */
  #named(name: string): Stored[] {
    return [...this.#processes.values()].filter((row) => row.name === name).sort((one, other) =>
      one.epoch - other.epoch
    );
  }

  #isSuperseded({ name, epoch }: Stored): boolean {
    for (const row of this.#processes.values()) if (row.name === name && row.epoch > epoch) return true;
    return false;
  }
}
