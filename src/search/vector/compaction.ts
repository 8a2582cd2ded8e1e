import { setImmediate } from 'node:timers/promises';
import { SegmentFullError } from '../../kernels/vectors.ts';
import type { Segment } from './segment.ts';
import type { DocumentRows } from './vector-set.ts';

/** Work per slice in bytes copied: a few milliseconds. */
const SLICE_BYTES = 4 * 1024 * 1024;
/** Cost of the calls for a row, in bytes copied. */
const ROW_COST = 2048;

/** The new places of a source's rows. */
interface Moves {
  /** By row: the row number in the copy, plus 1; 0 for none. */
  readonly rows: Uint32Array;
  /** By row: the number of the target that has it. */
  readonly targets: Uint16Array;
}

/**
 * Copies the live rows of segments to new segments, in slices, and builds the structures that the old ones had.
 * Searches continue in the old segments, where documents may be removed meanwhile, but nothing is written to them.
 * Finally, the new segments replace the old ones at once.
 */
export class Compaction {
  readonly #sources: readonly Segment[];
  readonly #make: () => Segment;
  readonly #targets: Segment[] = [];
  readonly #moves = new Map<Segment, Moves>();
  #isStopped = false;

  constructor(sources: readonly Segment[], make: () => Segment) {
    this.#sources = sources;
    this.#make = make;
  }

  /** Copies live rows and builds structures over the copies. Returns whether this was completed rather than stopped. */
  async run(): Promise<boolean> {
    for (const source of this.#sources) {
      source.deaths = [];
      this.#moves.set(source, { rows: new Uint32Array(source.rowCount), targets: new Uint16Array(source.rowCount) });
    }
    for (const source of this.#sources) await this.#copy(source);
    if (this.#isStopped) return false;
    const structures = this.#sources.flatMap((source) => source.structures.states());
    for (const target of this.#targets) target.structures.follow(structures);
    await Promise.all(this.#targets.map((target) => target.structures.settled()));
    return !this.#isStopped;
  }

  /** Makes `run` return soon. */
  stop(): void {
    this.#isStopped = true;
    for (const target of this.#targets) target.retire();
  }

  /** Removes the copies of documents that were removed meanwhile, and redirects the others to their new rows. */
  finish(documents: DocumentRows): readonly Segment[] {
    for (const source of this.#sources) {
      const { rows, targets } = this.#moves.get(source)!;
      for (const row of source.deaths ?? []) {
        if (rows[row] !== 0) this.#targets[targets[row]!]!.call.kill(rows[row]! - 1);
      }
      source.deaths = undefined;
      documents.redirect(source.id, (row) => ({ segment: this.#targets[targets[row]!]!.id, row: rows[row]! - 1 }));
    }
    return this.#targets;
  }

  abandon(): void {
    for (const source of this.#sources) source.deaths = undefined;
    this.stop();
  }

  async #copy(source: Segment): Promise<void> {
    let done = 0;
    for (let row = 0; row < source.rowCount && !this.#isStopped;) {
      const count = source.call.isLive(row) === 0 ? 0 : source.documentRows(row);
      if (count > 0) this.#copyDocument(source, row, count);
      row += Math.max(1, count);
      done += count * (source.stride + ROW_COST) + 64;
      if (done < SLICE_BYTES) continue;
      done = 0;
      await setImmediate();
    }
  }

  #copyDocument(source: Segment, from: number, count: number): void {
    const target = this.#targetFor(count);
    const { rows, targets } = this.#moves.get(source)!;
    const { stride } = source;
    for (let row = from; row < from + count; row++) {
      const to = target.rowCount;
      const at = source.call.vectorOf(row) >>> 0;
      target.bytes.set(source.bytes.subarray(at, at + stride), target.call.vectorOf(to) >>> 0);
      target.call.publish(to, source.call.ordOf(row), source.call.chunkOf(row), source.call.inverseNormOf(row));
      rows[row] = to + 1;
      targets[row] = this.#targets.length - 1;
    }
  }

  #targetFor(rows: number): Segment {
    const last = this.#targets.at(-1);
    if (last !== undefined && last.call.makeRoom(last.rowCount + rows) !== 0) return last;
    const made = this.#make();
    this.#targets.push(made);
    if (made.call.makeRoom(rows) === 0)
      throw new SegmentFullError(`${rows} rows that fitted into a segment do not fit into another`);
    return made;
  }
}
