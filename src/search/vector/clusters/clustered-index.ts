import { type ClustersExports, clustersKernel } from '../../../kernels/clusters.ts';
import { SegmentFullError } from '../../../kernels/vectors.ts';
import { block, u32 } from '../../../lib/checked-blocks.ts';
import { type AnnIndex, type AnnQuery, ByteReader, type Candidates, type Metric, METRIC_CODES, type SegmentAccess,
  VectorCheckpointError } from '../ann-index.ts';
import { Trainer } from './trainer.ts';

const FORMAT = 1;

/** The segment, kernel and metric of a structure. */
export interface Place {
  readonly segment: SegmentAccess;
  readonly kernel: ClustersExports;
  readonly metric: Metric;
}

/** The operations in which inverted files and codebooks differ. Addresses are those of one such structure. */
export interface ClusteredKind {
  readonly name: string;
  /** Trains on the rows and creates an empty structure. */
  train(place: Place, trainer: Trainer): Promise<number>;
  /** Creates an empty structure for `restoreParts`, from the numbers that `describe` returned. */
  create(place: Place, description: readonly number[]): number;
  describe(place: Place, address: number): readonly number[];
  release(place: Place, address: number): void;
  bytes(place: Place, address: number): number;
  done(place: Place, address: number): number;
  /**
   * The function that adds rows; its arguments are the structure, the end of the rows, and the maximum number of rows.
   */
  readonly add: keyof ClustersExports & string;
  /** Number of rows that it adds within some tens of milliseconds. */
  addBudget(place: Place, address: number): number;
  search(place: Place, address: number, query: AnnQuery, covers: number): Promise<Candidates>;
  saveParts(place: Place, address: number): Iterable<Uint8Array>;
  restoreParts(place: Place, address: number, reader: ByteReader, done: number): Promise<void>;
}

/** One training, and the rows that were added to it. Lives until the last search over it ends. */
interface Generation {
  readonly address: number;
  readonly trainedRows: number;
  covers: number;
  users: number;
  isReplaced: boolean;
}

/** A structure that is trained on the rows, and trained again whenever their number has doubled since. */
export class ClusteredIndex implements AnnIndex {
  readonly #place: Place;
  readonly #kind: ClusteredKind;
  #generation: Generation | undefined;

  constructor(segment: SegmentAccess, metric: Metric, kind: ClusteredKind) {
    this.#place = { segment, metric, kernel: clustersKernel(segment.memory, segment.build) };
    this.#kind = kind;
  }

  get covers(): number {
    return this.#generation?.covers ?? 0;
  }

  get bytes(): number {
    return this.#generation === undefined ? 0 : this.#kind.bytes(this.#place, this.#generation.address) >>> 0;
  }

  async insert(upTo: number): Promise<void> {
    const old = this.#generation;
    if (old !== undefined && upTo < 2 * old.trainedRows) {
      await this.#add(old, upTo);
      old.covers = upTo;
      return;
    }
    // Training sees all rows, so the next step does not require it again.
    const rows = Math.max(upTo, this.#place.segment.rowCount);
    const made = await this.#train(rows);
    try {
      await this.#add(made, rows);
    } catch (error) {
      this.#drop(made);
      throw error;
    }
    made.covers = rows;
    this.#generation = made;
    if (old !== undefined) this.#replace(old);
  }

  async search(query: AnnQuery): Promise<Candidates> {
    const generation = this.#generation!;
    generation.users++;
    try {
      return await this.#kind.search(this.#place, generation.address, query,
        Math.min(generation.covers, query.rowCount));
    } finally {
      generation.users--;
      if (generation.isReplaced) this.#replace(generation);
    }
  }

  async *save(): AsyncGenerator<Uint8Array> {
    const { address, trainedRows } = this.#generation!;
    const description = this.#kind.describe(this.#place, address);
    const done = this.#kind.done(this.#place, address);
    yield Buffer.concat(
      [FORMAT, METRIC_CODES[this.#place.metric], this.#place.segment.dims, trainedRows, done, description.length,
        ...description].map(u32),
    );
    for (const part of this.#kind.saveParts(this.#place, address)) yield block(part);
  }

  /** Restores what `save` wrote, into a new structure. */
  async restore(bytes: AsyncIterable<Uint8Array>): Promise<this> {
    const reader = new ByteReader(bytes);
    const { segment, metric } = this.#place;
    const [format, code, dims, trainedRows, done, length] = await reader.numbers(6);
    if (format !== FORMAT || code !== METRIC_CODES[metric] || dims !== segment.dims || done! > segment.rowCount ||
      length! > 16)
    {
      throw new VectorCheckpointError(`the ${this.#kind.name} structure is of another version`);
    }
    const address = this.#kind.create(this.#place, await reader.numbers(length!));
    try {
      await this.#kind.restoreParts(this.#place, address, reader, done!);
    } catch (error) {
      this.#kind.release(this.#place, address);
      throw error;
    }
    this.#generation = { address, trainedRows: trainedRows!, covers: done!, users: 0, isReplaced: false };
    return this;
  }

  close(): void {
    if (this.#generation !== undefined) this.#replace(this.#generation);
    this.#generation = undefined;
  }

  async #train(rows: number): Promise<Generation> {
    const { segment } = this.#place;
    const trainer = new Trainer(segment.pool, segment.dims, segment.build);
    try {
      const address = await this.#kind.train(this.#place, trainer);
      return { address, trainedRows: rows, covers: 0, users: 0, isReplaced: false };
    } finally {
      trainer.close();
    }
  }

  async #add({ address }: Generation, upTo: number): Promise<void> {
    const { memory, build, pool } = this.#place.segment;
    const budget = this.#kind.addBudget(this.#place, address);
    while (this.#kind.done(this.#place, address) < upTo) {
      const added = await pool.run({
        memory,
        module: 'clusters',
        build,
        call: this.#kind.add,
        args: [address, upTo, budget],
        background: true,
      });
      if (added < 0)
        throw new SegmentFullError(`a segment of vectors has no room for ${this.#kind.name} of ${upTo} rows`);
    }
  }

  /** Frees a generation when no search uses it any more. */
  #replace(generation: Generation): void {
    generation.isReplaced = true;
    if (generation.users === 0) this.#drop(generation);
  }

  #drop({ address }: Generation): void {
    this.#kind.release(this.#place, address);
  }
}

/** Returns an address from a kernel, or throws an error if it is 0. */
export function addressOf(value: number): number {
  if (value === 0) throw new SegmentFullError('a segment of vectors has no room for a structure');
  return value >>> 0;
}

/** Copies numbers into a segment's memory for the duration of `use`. */
export function withNumbers<T>({ segment }: Place, numbers: Float32Array | Uint32Array,
  use: (address: number) => T): T
{
  const bytes = Math.max(64, numbers.byteLength);
  const address = segment.allocateScratch(bytes);
  try {
    segment.bytes.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), address);
    return use(address);
  } finally {
    segment.release(address, bytes);
  }
}

export function copyBytes({ segment }: Place, address: number, bytes: number): Uint8Array {
  return segment.bytes.slice(address >>> 0, (address >>> 0) + bytes);
}

/** Reads a block of a checkpoint into the memory. */
export async function readBytes({ segment }: Place, reader: ByteReader, address: number, bytes: number): Promise<void> {
  const read = await reader.block();
  if (read.length !== bytes)
    throw new VectorCheckpointError(`a block of ${bytes} bytes should follow, got ${read.length}`);
  segment.bytes.set(read, address >>> 0);
}
