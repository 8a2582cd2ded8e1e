import type { Change } from './change.ts';

interface RecentLimits {
  readonly changes: number;
  /** Maximum UTF-16 units of the texts and metadata that the changes carry; a single change may exceed it. */
  readonly units: number;
}

const LIMITS: RecentLimits = { changes: 8192, units: 16 * 2 ** 20 };

/**
 * The newest changes that this process committed, without a gap. Readers that are close to the head read them from
 * here, with the documents that they carry: reading a row again, decompressing its body and parsing its metadata takes
 * longer than writing it.
 */
export class RecentChanges {
  readonly #limits: RecentLimits;
  #changes: Change[] = [];
  /** Index of the first change that is kept; those before it are removed from time to time. */
  #from = 0;
  #units = 0;

  constructor(limits: RecentLimits = LIMITS) {
    this.#limits = limits;
  }

  /** Adds committed changes, in order. Changes that do not follow the last one replace all others. */
  add(changes: readonly Change[]): void {
    const last = this.#changes.at(-1);
    if (last !== undefined && changes[0]?.lsn !== last.lsn + 1) this.clear();
    for (const change of changes) {
      this.#changes.push(change);
      this.#units += unitsOf(change);
    }
    while (this.#changes.length - this.#from > this.#limits.changes ||
      (this.#units > this.#limits.units && this.#changes.length - this.#from > 1)) this.#forgetFirst();
    this.#cutOff();
  }

  /** At most `limit` changes that follow a number; undefined if the tables must be read. */
  after(lsn: number, limit: number): Change[] | undefined {
    const first = this.#changes[this.#from];
    if (first === undefined || lsn + 1 < first.lsn || lsn >= this.#changes.at(-1)!.lsn) return undefined;
    const start = this.#from + (lsn + 1 - first.lsn);
    return this.#changes.slice(start, start + limit);
  }

  /** Number of the newest one; 0 when there is none. */
  get last(): number {
    return this.#changes.at(-1)?.lsn ?? 0;
  }

  /** Releases the changes up to a number. */
  release(lsn: number): void {
    while (this.#from < this.#changes.length && this.#changes[this.#from]!.lsn <= lsn) this.#forgetFirst();
    this.#cutOff();
  }

  clear(): void {
    this.#changes = [];
    this.#from = 0;
    this.#units = 0;
  }

  #forgetFirst(): void {
    this.#units -= unitsOf(this.#changes[this.#from++]!);
  }

  #cutOff(): void {
    if (this.#from === this.#changes.length) return this.clear();
    if (this.#from <= this.#changes.length / 2) return;
    this.#changes = this.#changes.slice(this.#from);
    this.#from = 0;
  }
}

function unitsOf({ document }: Change): number {
  if (document === undefined) return 0;
  let units = document.contentMd.length;
  for (const key of Object.keys(document.meta))
    for (const value of document.meta[key]!) units += key.length + value.length;
  return units;
}
