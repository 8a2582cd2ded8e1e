import { CollectionIndex } from './collection-index.ts';
import { partitionOf, partitionsOf } from './partitions.ts';
import type { ViewIndex, ViewKind } from './view-kind.ts';

/**
 * The indexes of the partitions of one collection, which serve together, and those of another number of partitions that
 * are being built for it. Changes go to both, so that searches continue until the new ones are complete.
 */
export class CollectionParts<Index extends ViewIndex & Readable, Readable> {
  /** Lowercased. */
  readonly name: string;
  readonly #kind: ViewKind<Index, Readable>;
  #parts: readonly CollectionIndex<Index>[];
  #next: readonly CollectionIndex<Index>[] = [];
  /** The number of partitions that was asked for last. */
  #wanted: number;
  #joined: { readonly of: readonly Index[]; readonly readable: Readable } | undefined;

  /** Without indexes; they start as loading. */
  constructor(kind: ViewKind<Index, Readable>, name: string, partitions: number) {
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
   * What searches read. Throws `IndexLoading` before all partitions are complete, `unavailable` if one failed.
   * `changed` resolves when a retry makes sense.
   */
  ready(changed: Promise<void>): Readable {
    return this.#readable(this.#parts.map((part) => part.ready(changed)));
  }

  /** The same, if all serve and are in memory. */
  get serving(): Readable | undefined {
    const serving = this.#parts.map((part) => part.serving);
    return serving.every((index) => index !== undefined) ? this.#readable(serving) : undefined;
  }

  /** Documents of all; undefined if one does not serve. */
  get documents(): number | undefined {
    return this.#sum(({ documents }) => documents);
  }

  /** Bytes of all; undefined if one does not serve. */
  get bytes(): number | undefined {
    return this.#sum(({ bytes }) => bytes);
  }

  /** Divides the collection anew; returns the indexes that must be built for that. What was begun before is given up. */
  divide(partitions: number): readonly CollectionIndex<Index>[] {
    this.#wanted = partitions;
    this.#leaveNext();
    if (partitions !== this.#parts.length) this.#next = this.#create(partitions);
    return this.#next;
  }

  /**
   * The new indexes take the place of the present ones, if all serve; they stay if one of the new ones could not be
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
    return left.map(({ name }) => name);
  }

  /** Releases the indexes; running builds are abandoned. */
  close(): void {
    for (const part of this.all) part.close();
  }

  #sum(value: (index: Index) => number): number | undefined {
    let sum = 0;
    for (const { serving } of this.#parts) {
      if (serving === undefined) return undefined;
      sum += value(serving);
    }
    return sum;
  }

  #leaveNext(): void {
    for (const part of this.#next) part.close();
    this.#next = [];
  }

  #create(partitions: number): CollectionIndex<Index>[] {
    return partitionsOf(this.name, partitions).map((partition) => new CollectionIndex(this.#kind.name, partition));
  }

  #readable(parts: readonly Index[]): Readable {
    const [only] = parts;
    if (parts.length === 1) return only!;
    if (this.#joined?.of.every((part, i) => part === parts[i]) !== true)
      this.#joined = { of: parts, readable: this.#kind.join(parts) };
    return this.#joined!.readable;
  }
}
