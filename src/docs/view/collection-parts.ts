import { turns } from '../../lib/turns.ts';
import { linkTo } from '../../search/parts/index.ts';
import { CollectionIndex } from './collection-index.ts';
import type { IndexCounts } from './index-memory.ts';
import { partitionOf, partitionsOf } from './partitions.ts';
import { IndexLoading } from './readiness.ts';
import type { ViewIndex, ViewKind } from './view-kind.ts';

/**
 * The indexes of the partitions of one collection, which serve together, and those of another number of partitions that
 * are being built for it. Changes go to both, so that searches continue until the new ones are complete.
 */
export class CollectionParts<Index extends ViewIndex & Readable & Part, Readable, Part = Index> {
  /** Lowercased. */
  readonly name: string;
  readonly #kind: ViewKind<Index, Readable, Part>;
  #parts: readonly CollectionIndex<Index>[];
  #next: readonly CollectionIndex<Index>[] = [];
  /** The number of partitions that was asked for last. */
  #wanted: number;
  /** The present parts as one, and the next ones while these are prepared. */
  readonly #joined = new Map<readonly CollectionIndex<Index>[], Joined<Part, Readable>>();
  /** What stands for those parts that other nodes have; kept, so that what is joined stays the same. */
  readonly #standIns = new Map<CollectionIndex<Index>, Part>();

  /** Without indexes; they start as loading. */
  constructor(kind: ViewKind<Index, Readable, Part>, name: string, partitions: number) {
    this.name = name;
    this.#kind = kind;
    this.#wanted = partitions;
    this.#parts = this.#create(partitions);
  }

  /** Those that serve, or will serve when they are loaded. */
  get parts(): readonly CollectionIndex<Index>[] {
    return this.#parts;
  }

  /** Number of partitions that it has, or is being divided into. */
  get wanted(): number {
    return this.#wanted;
  }

  /** All that follow the feed. */
  get all(): readonly CollectionIndex<Index>[] {
    return this.#next.length === 0 ? this.#parts : [...this.#parts, ...this.#next];
  }

  /** Those to which a document belongs: one, and one of those that are being built. */
  holding(ord: number): readonly CollectionIndex<Index>[] {
    if (this.#next.length === 0 && this.#parts.length === 1) return this.#parts;
    return [this.#parts, this.#next].flatMap((parts) =>
      parts.length === 0 ? [] : [parts[partitionOf(ord, parts.length)]!]
    );
  }

  /**
   * What searches read. Throws `IndexLoading` before all partitions are complete and prepared, `unavailable` if one
   * failed. `changed` resolves when a retry makes sense.
   */
  ready(changed: Promise<void>): Readable {
    return this.readyWith(changed, []);
  }

  /**
   * The same within a request that asks other nodes for the parts that are `elsewhere`; there are several parts, or
   * none is elsewhere. Throws `Unanswered`.
   */
  readyWith(changed: Promise<void>, elsewhere: readonly CollectionIndex<Index>[]): Readable {
    for (const part of this.#standIns.keys()) if (!elsewhere.includes(part)) this.#standIns.delete(part);
    const local = this.#parts.map((part) => (elsewhere.includes(part) ? undefined : part.ready(changed)));
    if (local.length === 1) return local[0]!;
    const joined = this.#join(this.#parts, local.map((index, i) => index ?? this.#standIn(this.#parts[i]!)));
    // What is read of other nodes is prepared by the requests that have their answers.
    if (!joined.isWarm && this.#warm(joined))
      throw new IndexLoading(this.#kind.name, elsewhere.length === 0 ? changed : turns.loop());
    return joined.readable;
  }

  #standIn(part: CollectionIndex<Index>): Part {
    const present = this.#standIns.get(part);
    if (present !== undefined) return present;
    const standIn = this.#kind.standIn!(linkTo({ view: this.#kind.name, ...part.partition }));
    this.#standIns.set(part, standIn);
    return standIn;
  }

  /** The same, if all serve and are in memory. */
  get serving(): Readable | undefined {
    const serving = allServing(this.#parts);
    return serving?.length === 1 ? serving[0] : serving && this.#join(this.#parts, serving).readable;
  }

  /** Whether searches would wait only because the partitions are not prepared to be searched together. */
  get isCold(): boolean {
    if (this.#parts.length === 1) return false;
    const serving = allServing(this.#parts);
    return serving !== undefined && !this.#join(this.#parts, serving).isWarm;
  }

  /**
   * Prepares for searches what they read of the new partitions, if these are complete, and of the present ones; true
   * while there is more.
   */
  warm(): boolean {
    for (const parts of [this.#next, this.#parts]) {
      const serving = parts.length > 1 ? allServing(parts) : undefined;
      const joined = serving && this.#join(parts, serving);
      if (joined?.isWarm === false && this.#warm(joined)) return true;
    }
    return false;
  }

  /** Whether one of them is out of memory until a search asks for it. */
  get isResting(): boolean {
    return this.#parts.some(({ isResting }) => isResting);
  }

  /** Where they are: all in memory, or one is missing, or at rest. */
  get state(): keyof IndexCounts {
    if (this.#parts.every(({ serving }) => serving !== undefined)) return 'memory';
    return this.#parts.every(({ serving, isResting }) => isResting || serving !== undefined) ? 'resting' : 'missing';
  }

  /** One of those that follow the feed; undefined if there is none of so many partitions. */
  part(number: number, of: number): CollectionIndex<Index> | undefined {
    return this.all.find(({ partition }) => partition.number === number && partition.of === of);
  }

  /** Where a part is; missing if the collection has another number of partitions. */
  stateOf(number: number, of: number): keyof IndexCounts {
    const part = this.part(number, of);
    if (part?.serving !== undefined) return 'memory';
    return part?.isResting === true ? 'resting' : 'missing';
  }

  /** Documents of all; undefined if one does not serve. */
  get documents(): number | undefined {
    const serving = allServing(this.#parts);
    return serving?.reduce((sum, { documents }) => sum + documents, 0);
  }

  /** Bytes of those that are in memory; undefined if none is. */
  get bytes(): number | undefined {
    const serving = this.#parts.flatMap((part) => part.serving ?? []);
    return serving.length === 0 ? undefined : serving.reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Divides the collection anew, whatever was begun before; returns the indexes that must be built for that. */
  divide(partitions: number): readonly CollectionIndex<Index>[] {
    this.#wanted = partitions;
    this.#leaveNext();
    if (partitions !== this.#parts.length) this.#next = this.#create(partitions);
    return this.#next;
  }

  /**
   * The new indexes take the place of the present ones, if all serve; these stay if one of the new ones could not be
   * built. Returns the names of the indexes that are no longer needed.
   */
  conclude(): readonly string[] {
    const next = this.#next;
    const isComplete = next.length > 0 && next.every(({ serving }) => serving !== undefined);
    if (!isComplete && !next.some(({ hasFailed }) => hasFailed)) return [];
    const left = isComplete ? this.#parts : next;
    this.#next = isComplete ? [] : next;
    if (isComplete) this.#parts = next;
    else this.#leaveNext();
    for (const part of left) part.close();
    this.#standIns.clear();
    this.#joined.delete(left);
    return left.map(({ name }) => name);
  }

  /** Releases the indexes; running builds are abandoned. */
  close(): void {
    for (const part of this.all) part.close();
  }

  #leaveNext(): void {
    for (const part of this.#next) part.close();
    this.#joined.delete(this.#next);
    this.#next = [];
  }

  #create(partitions: number): CollectionIndex<Index>[] {
    return partitionsOf(this.name, partitions).map((partition) => new CollectionIndex(this.#kind.name, partition));
  }

  #join(parts: readonly CollectionIndex<Index>[], serving: readonly Part[]): Joined<Part, Readable> {
    const present = this.#joined.get(parts);
    if (present?.of.every((index, i) => index === serving[i]) === true) return present;
    const joined = { of: serving, readable: this.#kind.join(serving), isWarm: this.#kind.warm === undefined };
    this.#joined.set(parts, joined);
    return joined;
  }

  #warm(joined: Joined<Part, Readable>): boolean {
    joined.isWarm = this.#kind.warm?.(joined.readable) !== true;
    return !joined.isWarm;
  }
}

interface Joined<Part, Readable> {
  readonly of: readonly Part[];
  readonly readable: Readable;
  isWarm: boolean;
}

/** Undefined if one does not serve. */
function allServing<Index extends ViewIndex>(parts: readonly CollectionIndex<Index>[]): readonly Index[] | undefined {
  const serving = parts.map((part) => part.serving);
  return serving.every((index) => index !== undefined) ? serving : undefined;
}
