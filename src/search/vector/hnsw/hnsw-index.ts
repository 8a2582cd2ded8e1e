import { type HnswExports, hnswKernel, NO_ROOM, UNFINISHED } from '../../../kernels/hnsw.ts';
import { SegmentFullError } from '../../../kernels/vectors.ts';
import { block, u32 } from '../../../lib/checked-blocks.ts';
import { type AnnFactory, type AnnIndex, type AnnQuery, ByteReader, type Candidates, type Metric, METRIC_CODES,
  type SegmentAccess, VectorCheckpointError } from '../ann-index.ts';

/** Width of the beam while rows are inserted (efConstruction), and the minimum in searches (efSearch). */
const BUILDING_WIDTH = 200;
const SEARCH_WIDTH = 100;
/** Rows per call of a worker, as their total number of dimensions: some tens of milliseconds. */
const CALL_DIMS = 65_536;
/** Number of rows whose links form a block of a checkpoint. */
const SAVED_ROWS = 1024;
/** A search with a wider beam, which takes more than some milliseconds, runs in a worker. */
const QUICK_WIDTH = 2048;
/** If more rows than this pass the filter, a search that may have to scan them all runs in a worker. */
const QUICK_ROWS = 50_000;
/** The beam in a part that has a share of the rows is narrower by this power of the share: its recall is no lower. */
const NARROWER = 0.4;
const FORMAT = 1;

/**
 * Maximum number of links of a row at level 0. Rows of int8 have fewer, because links would take a third of the memory;
 * a wider beam compensates.
 */
const LINKS = 32;
const LINKS_OF_INT8 = 24;
const SEARCH_WIDTH_OF_INT8 = 600;
/** The kernel's code for rows that are compared as they are stored. */
const ROWS_THEMSELVES = 8;

/** Bits per dimension in the codes by which rows of float32 are compared. */
export type CodeBits = 7 | 4;

/** A graph over the rows of a segment, see asm/hnsw. One thread inserts at a time; searches run beside it. */
export class HnswIndex implements AnnIndex {
  readonly #segment: SegmentAccess;
  readonly #metric: Metric;
  readonly #bits: CodeBits;
  readonly #kernel: HnswExports;
  readonly #free: number[] = [];
  #graph = 0;
  #builder = 0;

  constructor(segment: SegmentAccess, metric: Metric, bits: CodeBits = 7) {
    this.#segment = segment;
    this.#metric = metric;
    this.#bits = bits;
    this.#kernel = hnswKernel(segment.memory, segment.build);
  }

  /** Grows while rows are inserted. */
  get covers(): number {
    return this.#graph === 0 ? 0 : this.#kernel.graphDone(this.#graph) >>> 0;
  }

  get bytes(): number {
    return this.#graph === 0 ? 0 : this.#kernel.graphTaken(this.#graph) >>> 0;
  }

  /** Address of the graph; 0 until rows were inserted. */
  get address(): number {
    return this.#graph;
  }

  async insert(upTo: number): Promise<void> {
    this.#create();
    const budget = Math.max(16, Math.min(512, Math.ceil(CALL_DIMS / this.#segment.dims)));
    while (this.covers < upTo) {
      const inserted = await this.#run('insertRows', [this.#graph, this.#builder, upTo, budget, BUILDING_WIDTH], true);
      if (inserted < 0) throw new SegmentFullError(`a segment of vectors has no room for a graph of ${upTo} rows`);
    }
  }

  async search(query: AnnQuery): Promise<Candidates> {
    const bytes = Math.max(64, query.k * 4);
    const address = this.#segment.allocateScratch(bytes);
    let scratch = 0;
    try {
      scratch = this.#takeScratch();
      const count = await this.#find(query, scratch, address);
      if (count === NO_ROOM) throw new SegmentFullError('a segment of vectors has no room for a search');
      return { address, bytes, count, scanned: this.#kernel.scanned(scratch) >>> 0 };
    } catch (error) {
      this.#segment.release(address, bytes);
      throw error;
    } finally {
      if (scratch !== 0) this.#free.push(scratch);
    }
  }

  /**
   * Writes the rows found to `out` and returns their number. What may take more than some milliseconds runs in a
   * worker.
   */
  async #find({ query, k, least, rows, rowCount, selected, options, portion }: AnnQuery, scratch: number,
    out: number): Promise<number>
  {
    const whole = options.efSearch ?? (this.#segment.type === 'int8' ? SEARCH_WIDTH_OF_INT8 : SEARCH_WIDTH);
    const width = Math.ceil(whole * portion.expected ** NARROWER);
    const end = Math.min(this.covers, rowCount);
    const isQuick = Math.max(width, k) <= QUICK_WIDTH * portion.share;
    const args = [this.#graph, scratch, query, 1, k, least, width, rows, rows === 0 ? 0 : selected, end, out] as const;
    const count = (isQuick ? this.#kernel.search(...args) : await this.#run('search', args, false)) >>> 0;
    if (count !== UNFINISHED) return count;
    const further = [this.#graph, scratch, query, 1, k, width, rows, selected, end, out] as const;
    return (isQuick && selected <= QUICK_ROWS * portion.share
      ? this.#kernel.searchFurther(...further)
      : await this.#run('searchFurther', further, false)) >>> 0;
  }

  async *save(): AsyncGenerator<Uint8Array> {
    const kernel = this.#kernel;
    const done = this.covers;
    yield Buffer.concat([u32(FORMAT), u32(METRIC_CODES[this.#metric]), u32(this.#segment.dims), u32(done)]);
    for (let first = 0; first < done; first += SAVED_ROWS) {
      const bytes = SAVED_ROWS * kernel.savedBytes();
      const buffer = this.#segment.allocateScratch(bytes);
      try {
        const length = kernel.saveLinks(this.#graph, first, Math.min(done, first + SAVED_ROWS), buffer);
        yield block(this.#segment.bytes.slice(buffer, buffer + length));
      } finally {
        this.#segment.release(buffer, bytes);
      }
    }
  }

  /** Restores what `save` wrote, into a new structure. */
  async restore(bytes: AsyncIterable<Uint8Array>): Promise<this> {
    const reader = new ByteReader(bytes);
    const [format, metric, dims, done] = await reader.numbers(4);
    if (format !== FORMAT || metric !== METRIC_CODES[this.#metric] || dims !== this.#segment.dims ||
      done! > this.#segment.rowCount)
    {
      throw new VectorCheckpointError('the graph is of another version');
    }
    this.#create();
    try {
      for (let first = 0; first < done!; first += SAVED_ROWS)
        await this.#restoreRows(first, Math.min(done!, first + SAVED_ROWS), await reader.block());
      if (await this.#run('linksAreSound', [this.#graph], false) === 0)
        throw new VectorCheckpointError('the graph has links that lead nowhere');
    } catch (error) {
      this.close();
      throw error;
    }
    return this;
  }

  close(): void {
    for (const scratch of [...this.#free.splice(0), this.#builder])
      if (scratch !== 0) this.#kernel.releaseScratch(scratch);
    if (this.#graph !== 0) this.#kernel.releaseGraph(this.#graph);
    this.#graph = this.#builder = 0;
  }

  async #restoreRows(first: number, end: number, links: Uint8Array): Promise<void> {
    const buffer = this.#segment.allocate(Math.max(64, links.length));
    try {
      this.#segment.bytes.set(links, buffer);
      const result = await this.#run('restoreLinks', [this.#graph, first, end, buffer, links.length], false);
      if (result < 0) throw new SegmentFullError('a segment of vectors has no room for its graph');
      if (result === 0) throw new VectorCheckpointError('the graph is damaged');
    } finally {
      this.#segment.release(buffer, Math.max(64, links.length));
    }
  }

  #create(): void {
    if (this.#graph !== 0) return;
    this.#builder = this.#newScratch();
    try {
      this.#graph = this.#segment.allocate(this.#kernel.graphBytes());
    } catch (error) {
      this.close();
      throw error;
    }
    const [bits, most] = this.#segment.type === 'int8' ? [ROWS_THEMSELVES, LINKS_OF_INT8] : [this.#bits, LINKS];
    this.#kernel.initializeGraph(this.#graph, METRIC_CODES[this.#metric], this.#segment.dims, bits, most);
  }

  #takeScratch(): number {
    return this.#free.pop() ?? this.#newScratch();
  }

  #newScratch(): number {
    const scratch = this.#segment.allocateScratch(this.#kernel.scratchBytes());
    this.#kernel.initializeScratch(scratch);
    return scratch;
  }

  #run(call: keyof HnswExports & string, args: readonly number[], background: boolean): Promise<number> {
    const { memory, build, pool } = this.#segment;
    return pool.run({ memory, module: 'hnsw', build, call, args, background });
  }
}

/** Candidates per result; scoring them exactly corrects errors of the codes. */
const OVERSAMPLE = 3;

/** Approximate search by a graph (hnsw) with codes of 4 or 7 bits per dimension: 4 bits are smaller, 7 more precise. */
export function hnswFactory(bits: CodeBits = 7): AnnFactory {
  return {
    algorithm: 'hnsw',
    types: ['float32', 'int8'],
    minRows: 512,
    structureFor: (metric) => metric,
    candidates: (k, _rows, wish) => Math.ceil(k * (wish ?? OVERSAMPLE)),
    create: (segment, metric) => new HnswIndex(segment, metric, bits),
    restore: (segment, metric, bytes) => new HnswIndex(segment, metric, bits).restore(bytes),
  };
}
