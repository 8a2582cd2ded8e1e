import { setImmediate } from 'node:timers/promises';
import { ENTRY_BYTES, HEAP_KINDS, type VectorsExports } from '../../kernels/vectors.ts';
import { block, u32 } from '../../lib/checked-blocks.ts';
import { type AnnAlgorithm, type AnnFactory, type AnnIndex, type AnnQuery, ByteReader, type Candidates, type Metric,
  METRIC_CODES, type SegmentAccess, VectorCheckpointError } from './ann-index.ts';
import { callKernel, divide, isQuick, isShared, type RowSource, settleAll, type Work } from './parts.ts';
import { Scratch } from './ranking.ts';

/** Bits per dimension. */
type CodeBits = 8 | 4 | 1;

/** Size of the table of code addresses, with an entry for every block of a segment. */
const TABLE_BYTES = 8192 * 4;
/** Bytes of rows that a worker encodes in one call. */
const CODING_BYTES = 32 * 1024 * 1024;
const FORMAT = 2;

/** A segment of the engine itself: codes use the same kernel module as rows. */
type CodedSegment = SegmentAccess & RowSource;

/** One training of codes: its parameters, and the blocks coded by them. Lives until the last search over it ends. */
interface Generation {
  readonly description: number;
  readonly table: number;
  readonly blocks: number[];
  /** Number of rows whose range of values, or centre, was measured. */
  readonly trainedRows: number;
  users: number;
  isReplaced: boolean;
}

/** Codes of 8, 4 or 1 bit per dimension, scanned instead of the rows: sq, sq4, bq. See asm/vector/codes.ts. */
class CodesIndex implements AnnIndex {
  readonly #segment: CodedSegment;
  readonly #bits: CodeBits;
  /** Whether vectors are normalised to length 1 before they are encoded. */
  readonly #unit: boolean;
  #generation: Generation | undefined;
  #covers = 0;

  constructor(segment: CodedSegment, bits: CodeBits, metric: Metric) {
    this.#segment = segment;
    this.#bits = bits;
    this.#unit = bits === 1 && metric === 'cosine';
  }

  get covers(): number {
    return this.#covers;
  }

  /**
   * Passages of a model that stores int8 are short, so documents have many: to score all of them takes longer than the
   * scan.
   */
  get findsRows(): boolean {
    return this.#segment.type !== 'float32';
  }

  get bytes(): number {
    const generation = this.#generation;
    return generation === undefined
      ? 0
      : this.#descriptionBytes + TABLE_BYTES + generation.blocks.length * this.#blockBytes;
  }

  async insert(upTo: number): Promise<void> {
    const old = this.#generation;
    if (old !== undefined && upTo < 2 * old.trainedRows) {
      await this.#encode(old, this.#covers, upTo);
      this.#covers = upTo;
      return;
    }
    const made = await this.#train(upTo);
    try {
      await this.#encode(made, 0, upTo);
    } catch (error) {
      this.#drop(made);
      throw error;
    }
    this.#generation = made;
    this.#covers = upTo;
    if (old !== undefined) this.#replace(old);
  }

  async search(query: AnnQuery): Promise<Candidates> {
    const generation = this.#generation!;
    generation.users++;
    const scratch = new Scratch(this.#segment);
    try {
      return await this.#scan(generation, query, scratch);
    } finally {
      scratch.release();
      generation.users--;
      if (generation.isReplaced) this.#replace(generation);
    }
  }

  async *save(): AsyncGenerator<Uint8Array> {
    const { description, blocks, trainedRows } = this.#generation!;
    yield Buffer.concat([u32(FORMAT), u32(this.#bits), u32(this.#unit ? 1 : 0), u32(trainedRows), u32(this.#covers),
      u32(blocks.length)]);
    yield block(this.#copy(description, this.#descriptionBytes));
    for (const address of blocks) yield block(this.#copy(address, this.#blockBytes));
  }

  /** Restores what `save` wrote, into a new structure. */
  async restore(bytes: AsyncIterable<Uint8Array>): Promise<this> {
    const reader = new ByteReader(bytes);
    const [format, bits, unit, trainedRows, covers, count] = await reader.numbers(6);
    const blocks = Math.ceil(covers! / this.#blockRows);
    if (format !== FORMAT || bits !== this.#bits || unit !== (this.#unit ? 1 : 0) || count! < blocks ||
      count! > TABLE_BYTES / 4 || covers! > this.#segment.rowCount)
    {
      throw new VectorCheckpointError('the codes are of another version');
    }
    const generation = this.#allocate(trainedRows!);
    try {
      await this.#restoreGeneration(generation, reader, count!);
    } catch (error) {
      this.#drop(generation);
      throw error;
    }
    this.#generation = generation;
    this.#covers = covers!;
    return this;
  }

  close(): void {
    if (this.#generation !== undefined) this.#replace(this.#generation);
    this.#generation = undefined;
    this.#covers = 0;
  }

  get #call(): VectorsExports {
    return this.#segment.call;
  }

  get #descriptionBytes(): number {
    return this.#call.codesBytes(this.#bits);
  }

  get #blockBytes(): number {
    return this.#call.codeBlockBytes(this.#bits) >>> 0;
  }

  get #blockRows(): number {
    return this.#call.blockRows();
  }

  async #scan(generation: Generation, query: AnnQuery, scratch: Scratch): Promise<Candidates> {
    const segment = this.#segment;
    const coded = scratch.allocate(this.#call.codedQueryBytes());
    const metric = METRIC_CODES[query.metric];
    this.#call.encodeQuery(generation.description, query.query, metric, coded);
    const to = Math.min(this.#covers, query.rowCount);
    const bytesPerRow = Math.max(64, (segment.dims * this.#bits) / 8);
    const work: Work = { from: 0, to, bytesPerRow, portion: query.portion };
    const kind = HEAP_KINDS[query.perDocument && !this.findsRows ? 'documents' : 'candidates'];
    const shared = kind === HEAP_KINDS.candidates && isShared(segment, work)
      ? await this.#scanTogether(generation, query, coded, to)
      : undefined;
    if (shared !== undefined) return { ...shared, scanned: Math.min(to, query.selected) };
    const heaps = await settleAll(divide(segment, work).map(async (part) => {
      const heap = scratch.allocate(this.#call.heapBytes(query.k, kind));
      this.#call.openHeap(heap, query.k, kind);
      await callKernel(segment, isQuick(segment, work), 'scanCodes', [generation.description, coded, metric, part.from,
        part.to, query.rows, heap]);
      return heap;
    }));
    for (const heap of heaps.slice(1)) this.#call.absorb(heaps[0]!, heap);
    return { ...this.#drain(heaps[0], query.k), scanned: Math.min(to, query.selected) };
  }

  /**
   * Scans on this thread and in a worker at the same time: the worker begins at once, this thread when it has done what
   * else is due, such as the lexical side of a hybrid search. The candidates are scored, too, mostly by the worker.
   * Undefined if no worker is free or it ended, or if there are too few candidates.
   */
  async #scanTogether({ description }: Generation, { query, metric, k, rows, scoring }: AnnQuery, coded: number,
    to: number): Promise<Omit<Candidates, 'scanned'> | undefined>
  {
    const { memory, build, pool } = this.#segment;
    const scratch = new Scratch(this.#segment);
    let ended: Promise<void> | undefined;
    try {
      const bytes = this.#call.heapBytes(k, HEAP_KINDS.candidates);
      const [heap, other] = [scratch.allocate(bytes), scratch.allocate(bytes)];
      const scan = scratch.allocate(this.#call.sharedScanBytes());
      const [bits, list] = [scratch.allocate(Math.ceil(to / 64) * 8), scratch.allocate(k * 4)];
      if (this.#call.openSharedScan(scan, description, coded, METRIC_CODES[metric], to, rows, k, heap, other) === 0)
        return undefined;
      this.#call.scoreInto(scan, query, scoring.border, scoring.heap, bits, list);
      ended = pool.tryRun({ memory, module: 'vectors', build, call: 'scanParts', args: [scan, other] })?.then(
        () => undefined,
        () => undefined,
      );
      if (ended === undefined) return undefined;
      await setImmediate();
      this.#call.scanParts(scan, heap);
      // To wait in turns of the event loop is the exception: the worker was interrupted, or has ended.
      if (this.#call.hasEnded(scan) === 0) await ended;
      return this.#call.areScored(scan) === 0 ? undefined : { ...this.#drain(heap, k), areScored: true };
    } finally {
      // A worker that comes late still reads there that nothing is left to do.
      if (ended === undefined) scratch.release();
      else void ended.then(() => scratch.release());
    }
  }

  #drain(heap: number | undefined, k: number): Omit<Candidates, 'scanned'> {
    const bytes = Math.max(64, k * ENTRY_BYTES);
    const address = this.#segment.allocateScratch(bytes);
    return { address, bytes, count: heap === undefined ? 0 : this.#call.drainHeap(heap, address) };
  }

  async #train(rows: number): Promise<Generation> {
    const generation = this.#allocate(rows);
    try {
      await this.#run('trainCodes', [generation.description, this.#bits, generation.table, this.#unit ? 1 : 0, rows]);
      return generation;
    } catch (error) {
      this.#drop(generation);
      throw error;
    }
  }

  async #encode(generation: Generation, from: number, to: number): Promise<void> {
    this.#makeBlocks(generation, Math.ceil(to / this.#blockRows));
    const step = Math.max(1, Math.floor(CODING_BYTES / this.#segment.stride));
    const scratch = new Scratch(this.#segment);
    const calls: Promise<number>[] = [];
    try {
      for (let row = from; row < to; row += step) {
        calls.push(
          this.#run('encodeCodes', [generation.description, row, Math.min(to, row + step),
            scratch.allocate(this.#call.encodingBytes())]),
        );
      }
      await settleAll(calls);
    } finally {
      scratch.release();
    }
  }

  #run(call: string, args: readonly number[]): Promise<number> {
    const { memory, build, pool } = this.#segment;
    return pool.run({ memory, module: 'vectors', build, call, args, background: true });
  }

  #allocate(trainedRows: number): Generation {
    const description = this.#segment.allocate(this.#descriptionBytes);
    try {
      return {
        description,
        table: this.#segment.allocate(TABLE_BYTES),
        blocks: [],
        trainedRows,
        users: 0,
        isReplaced: false,
      };
    } catch (error) {
      this.#segment.release(description, this.#descriptionBytes);
      throw error;
    }
  }

  #makeBlocks({ table, blocks }: Generation, count: number): void {
    while (blocks.length < count) {
      const address = this.#segment.allocate(this.#blockBytes);
      this.#view.setUint32(table + blocks.length * 4, address, true);
      blocks.push(address);
    }
  }

  async #restoreGeneration(generation: Generation, reader: ByteReader, count: number): Promise<void> {
    this.#fill(generation.description, await reader.block(), this.#descriptionBytes);
    this.#call.placeCodes(generation.description, generation.table);
    this.#makeBlocks(generation, count);
    for (const address of generation.blocks) this.#fill(address, await reader.block(), this.#blockBytes);
  }

  #fill(address: number, bytes: Uint8Array, expected: number): void {
    if (bytes.length !== expected)
      throw new VectorCheckpointError(`codes of ${expected} bytes should follow, got ${bytes.length}`);
    this.#segment.bytes.set(bytes, address);
  }

  #copy(address: number, bytes: number): Uint8Array {
    return this.#segment.bytes.slice(address, address + bytes);
  }

  get #view(): DataView {
    return new DataView(this.#segment.memory.buffer);
  }

  /** Frees a generation when no search uses it any more. */
  #replace(generation: Generation): void {
    generation.isReplaced = true;
    if (generation.users === 0) this.#drop(generation);
  }

  #drop({ description, table, blocks }: Generation): void {
    for (const address of blocks.splice(0)) this.#segment.release(address, this.#blockBytes);
    this.#segment.release(table, TABLE_BYTES);
    this.#segment.release(description, this.#descriptionBytes);
  }
}

interface CodesKind {
  readonly algorithm: AnnAlgorithm;
  readonly bits: CodeBits;
  /** Default number of candidates per result. */
  readonly oversample: number;
  /**
   * Minimum number of candidates, by rows and dimensions: scoring this many costs little, and improves recall in small
   * collections.
   */
  readonly least: (rows: number, dims: number) => number;
}

/** Total bits of all candidates of bq: with fewer bits per vector, more candidates are needed. */
const SIGN_BITS = 150_000;
/**
 * Above this number of dimensions, fewer candidates are enough: with six times as many dimensions, a tenth of the
 * candidates finds the same.
 */
const FEW_SIGNS = 128;
/** Above this row count, the number of candidates grows with the square root of the rows. */
const SIGN_ROWS = 100_000;

function leastBySigns(rows: number, dims: number): number {
  return Math.ceil(
    (SIGN_BITS / dims) * Math.min(1, (FEW_SIGNS / dims) ** 0.25) * Math.max(1, Math.sqrt(rows / SIGN_ROWS)),
  );
}

function factory({ algorithm, bits, oversample, least }: CodesKind): AnnFactory {
  const coded = (segment: SegmentAccess, metric: Metric) => new CodesIndex(segment as CodedSegment, bits, metric);
  return {
    algorithm,
    types: bits === 1 ? ['float32', 'int8', 'int4'] : ['float32'],
    minRows: 256,
    structureFor: (metric) => (bits === 1 && metric === 'cosine' ? 'cosine' : 'euclidean'),
    candidates: (k, rows, wish, dims) => Math.max(least(rows, dims), Math.ceil(k * (wish ?? oversample))),
    create: coded,
    restore: (segment, metric, bytes) => coded(segment, metric).restore(bytes),
  };
}

/** sq, sq4 and bq; `bqFactor` is the number of candidates per result of bq (SVC_VECTOR_BQ_RERANK_FACTOR). */
export function codeFactories(bqFactor = 10): AnnFactory[] {
  return [factory({ algorithm: 'sq', bits: 8, oversample: 3, least: () => 48 }),
    factory({ algorithm: 'sq4', bits: 4, oversample: 6, least: () => 96 }),
    factory({ algorithm: 'bq', bits: 1, oversample: bqFactor, least: leastBySigns })];
}
