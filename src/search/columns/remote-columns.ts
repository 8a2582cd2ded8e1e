import type { OrdSet } from '../../lib/ord-set.ts';
import { type Holds, type PackedSet, packSet, type PartLink, readEach, unpackSet } from '../parts/index.ts';
import type { ColumnsPart, ColumnStats, DayCount, Facet, Scores, Selecting, SortedRows, Sorting, Tally,
  ValueFactor } from './contract.ts';
import type { AskColumns, Moment, Summary } from './questions.ts';
import { RemoteTally } from './remote-tally.ts';
import { NO_TALLY } from './tally.ts';

const NO_ROWS: SortedRows = { length: 0, at: () => undefined };

/** The columns of a part in another process, for `joinColumns`; `answerColumns` answers there. */
export class RemoteColumns implements ColumnsPart {
  readonly #ask: AskColumns;
  readonly #steady: AskColumns;
  readonly #holds: Holds;
  #parts = 1;
  /** The set that was sent last: a request sends the same one several times. */
  #sent: { readonly set: OrdSet; readonly revision: number; readonly packed: PackedSet } | undefined;

  /** `holds` tells the documents of the part, so that sets that are sent have no others. */
  constructor(link: PartLink, holds: Holds) {
    this.#ask = (method, ...args) => link.known(method, ...args);
    this.#steady = (method, ...args) => link.steady(method, ...args);
    this.#holds = holds;
  }

  share(parts: number): void {
    this.#parts = parts;
  }

  /** The part prepares itself before it answers. */
  prepare(): boolean {
    return true;
  }

  /** Asks everything that a request needs to know first. */
  revision(now?: number): string {
    if (now === undefined) return this.#summary().revision;
    const reads = [() => this.#moment(now).revision, () => this.#summary().revision];
    return readEach(reads, (read) => read())[0]!;
  }

  stats(): ColumnStats {
    return this.#ask('stats').stats;
  }

  keys(): string[] {
    return [...this.#ask('stats').keys];
  }

  select({ filter, now }: Pick<Selecting, 'filter' | 'now'>): OrdSet | undefined {
    if (filter === undefined && !this.#moment(now).hasExpired) return undefined;
    const found = this.#ask('select', { filter, now });
    return found && unpackSet(found);
  }

  hasEach(ords: readonly number[]): boolean[] {
    const own = ords.filter(this.#holds);
    const known = own.length === 0 ? [] : this.#ask('hasEach', own);
    const found = new Set(own.filter((_, i) => known[i]!));
    return ords.map((ord) => found.has(ord));
  }

  count(set: OrdSet | undefined): number {
    if (set === undefined) return this.#summary().documents;
    const packed = this.#packed(set);
    return isEmpty(packed) ? 0 : this.#ask('count', packed!);
  }

  days(set: OrdSet | undefined, field: 'addedAt' | 'updatedAt'): DayCount[] {
    const packed = this.#packed(set);
    return isEmpty(packed) ? [] : [...this.#ask('days', packed, field)];
  }

  tally(set: OrdSet | undefined, { field, isMeta }: Pick<Facet, 'field' | 'isMeta'>): Tally {
    const packed = this.#packed(set);
    return isEmpty(packed) ? NO_TALLY : new RemoteTally(this.#ask, { field, isMeta, set: packed });
  }

  /** At once. */
  sorted(set: OrdSet | undefined, { scores, ...sorting }: Sorting): SortedRows {
    const packed = this.#packed(set);
    if (isEmpty(packed)) return NO_ROWS;
    const isByScore = sorting.keys.some(({ column }) => column.kind === 'score');
    const own = isByScore && scores !== undefined ? { scores: this.#ownOf(scores) } : {};
    const rows = this.#ask('sorted', packed, { ...sorting, ...own });
    return { length: rows.length, at: (index) => rows[index] };
  }

  documentsWith(pairs: readonly Pick<ValueFactor, 'key' | 'value'>[]): (OrdSet | undefined)[] {
    return this.#ask('documentsWith', pairs.map(({ key, value }) => ({ key, value }))).map((set) =>
      set && unpackSet(set)
    );
  }

  #summary(): Summary {
    return this.#steady('summary', this.#parts);
  }

  #moment(now: number): Moment {
    return this.#steady('moment', now);
  }

  #packed(set: OrdSet | undefined): PackedSet | undefined {
    if (set === undefined) return undefined;
    if (this.#sent?.set !== set || this.#sent.revision !== set.revision)
      this.#sent = { set, revision: set.revision, packed: packSet(set, this.#holds) };
    return this.#sent.packed;
  }

  #ownOf({ ords, scores }: Scores): Scores {
    const places = Array.from(ords, (_, i) => i).filter((i) => this.#holds(ords[i]!));
    return {
      ords: Uint32Array.from(places, (i) => ords[i]!),
      scores: Float64Array.from(places, (i) => scores[i]!),
    };
  }
}

function isEmpty(set: PackedSet | undefined): boolean {
  return set?.blocks.length === 0;
}
