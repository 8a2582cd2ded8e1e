import type { PackedSet } from '../parts/index.ts';
import type { ColumnStats, DayCount, Facet, Selecting, SortedDocument, Sorting, ValueCount,
  ValueFactor } from './contract.ts';

/** The columns of a part, as far as each request needs to know them. */
export interface Summary {
  /** Different after each change, and in each instance: a rebuilt index, or that of another node. */
  readonly revision: string;
  readonly documents: number;
}

/** The columns of a part at a time. */
export interface Moment {
  /** As `Summary.revision`; different also when others have expired. */
  readonly revision: string;
  readonly hasExpired: boolean;
}

/** A facet of the documents in a set; absent for all. */
export interface CountedField extends Pick<Facet, 'field' | 'isMeta'> {
  readonly set?: PackedSet | undefined;
}

/** Counts by the hashes of values: `counts[i]` for `hashes[i]`. */
export interface HashCounts {
  readonly hashes: Uint32Array;
  readonly counts: Uint32Array;
}

export interface BestWanted extends CountedField, Pick<Facet, 'orderBy' | 'limit'> {
  /** Counts that take the place of the part's own. */
  readonly sums?: HashCounts | undefined;
}

/** The best values, and how many there are. */
export interface BestValues {
  readonly values: readonly ValueCount[];
  readonly size: number;
}

/** What stand-ins ask of columns in other processes, by method: what is passed, and what is returned. */
export interface ColumnQuestions {
  /** `parts`: number of parts of the collection (`ColumnsPart.share`). */
  summary(parts: number): Summary;
  moment(now: number): Moment;
  stats(): { readonly stats: ColumnStats; readonly keys: readonly string[] };
  select(selecting: Pick<Selecting, 'filter' | 'now'>): PackedSet | undefined;
  hasEach(ords: readonly number[]): readonly boolean[];
  count(set: PackedSet): number;
  best(wanted: BestWanted): BestValues;
  countsOf(field: CountedField, values: readonly string[]): ArrayLike<number>;
  hashes(field: CountedField): HashCounts;
  days(set: PackedSet | undefined, field: 'addedAt' | 'updatedAt'): readonly DayCount[];
  sorted(set: PackedSet | undefined, sorting: Sorting): readonly SortedDocument[];
  documentsWith(pairs: readonly Pick<ValueFactor, 'key' | 'value'>[]): readonly (PackedSet | undefined)[];
}

/** Asks the columns of a part; throws `Unanswered`. */
export type AskColumns = <Method extends keyof ColumnQuestions>(method: Method,
  ...args: Parameters<ColumnQuestions[Method]>) => ReturnType<ColumnQuestions[Method]>;
