import type { ClusterRows, Owned } from './cluster-rows.ts';
import type { UnitNumber } from './unit.ts';

/**
 * The rows are read again after so many rounds: what took effect after its answer was lost would otherwise be owned by
 * nobody who knows.
 */
const READ_AGAIN = 8;

/**
 * The units whose checkpoints this node writes. A unit has at most one owner at a time: its row names a process, which
 * owns it while its lease lasts (`Membership.process`), and another may take it only when the process is gone or has
 * given it up. The epoch of an owner is greater than those of all before, for stores that can refuse older ones.
 */
export class Ownership {
  readonly #rows: Pick<ClusterRows, 'take' | 'release' | 'ownedBy'>;
  readonly #process: () => string | undefined;
  readonly #epochs = new Map<UnitNumber, number>();
  /** Given up, but the rows may not say so yet. */
  #released: Owned[] = [];
  #owner: string | undefined;
  #rounds = 0;

  /** `process`: see `Membership.process`. */
  constructor(rows: Pick<ClusterRows, 'take' | 'release' | 'ownedBy'>, process: () => string | undefined) {
    this.#rows = rows;
    this.#process = process;
  }

  get size(): number {
    return this.#owner !== undefined && this.#owner === this.#process() ? this.#epochs.size : 0;
  }

  /** The epoch in which this node owns a unit now; undefined if it does not. */
  epochOf(unit: UnitNumber): number | undefined {
    const process = this.#process();
    return process !== undefined && process === this.#owner ? this.#epochs.get(unit) : undefined;
  }

  /** Gives up all units but these, and takes those of them that are free. */
  async update(units: ReadonlySet<UnitNumber>): Promise<void> {
    const process = this.#process();
    if (process !== this.#owner) this.#forget();
    this.#owner = process;
    if (process === undefined) return;
    if (this.#rounds++ % READ_AGAIN === 0) await this.#readAgain(process);
    await this.#release(process, units);
    const lacking = [...units].filter((unit) => !this.#epochs.has(unit));
    if (lacking.length === 0) return;
    const taken = await this.#rows.take(process, lacking);
    // The lease may have ended meanwhile, and the node may have joined again.
    if (this.#process() !== process) return;
    for (const { unit, epoch } of taken) this.#epochs.set(unit, epoch);
  }

  /** Not those that were given up: that may take effect at any time. */
  async #readAgain(process: string): Promise<void> {
    const released = new Map(this.#released.map(({ unit, epoch }) => [unit, epoch]));
    const owned = await this.#rows.ownedBy(process);
    if (this.#process() !== process) return;
    for (const { unit, epoch } of owned) if (released.get(unit) !== epoch) this.#epochs.set(unit, epoch);
  }

  /** This node stops first, and then the rows say so. */
  async #release(process: string, kept: ReadonlySet<UnitNumber>): Promise<void> {
    for (const [unit, epoch] of this.#epochs) {
      if (kept.has(unit)) continue;
      this.#epochs.delete(unit);
      this.#released.push({ unit, epoch });
    }
    if (this.#released.length === 0) return;
    await this.#rows.release(process, this.#released);
    this.#released = [];
  }

  #forget(): void {
    this.#epochs.clear();
    this.#released = [];
    this.#rounds = 0;
  }
}
