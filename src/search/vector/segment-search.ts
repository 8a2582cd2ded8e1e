import { ENTRY_BYTES, ENTRY_WORDS, HEAP_KINDS } from '../../kernels/vectors.ts';
import { type AnnAlgorithm, type AnnFactory, type AnnIndex, type Candidates, type Metric, METRIC_CODES,
  type Scoring } from './ann-index.ts';
import { callKernel, divide, expectedOf, isQuick, type Portion, settleAll, type Work } from './parts.ts';
import { Scratch } from './ranking.ts';
import type { Segment } from './segment.ts';

/** Rows that follow each other. */
export interface RowRun {
  readonly row: number;
  readonly count: number;
}

/** A search, in the form that segments receive it. */
interface SegmentQuery {
  readonly vector: Float32Array;
  readonly metric: Metric;
  /** The structure to use; undefined for an exact scan. */
  readonly algorithm: AnnAlgorithm | undefined;
  /** Number of rows, or documents, wanted. */
  readonly k: number;
  /** Number of results, at most `k`, with which an approximate search does not look further. */
  readonly enough: number;
  readonly perDocument: boolean;
  /** A bitmap of ordinals: bit `ord & 31` of word `ord >>> 5`. */
  readonly filter: Uint32Array | undefined;
  /** The live rows of the filter's documents, if these are few. */
  readonly runs: readonly RowRun[] | undefined;
  readonly oversample: number | undefined;
  readonly options: Readonly<Record<string, number>>;
  readonly portion: Portion;
}

/**
 * A row that was found. `rank` orders rows of one query: it is the score, or for the Euclidean metric the negated
 * squared distance.
 */
export interface RowHit {
  readonly segment: Segment;
  readonly row: number;
  readonly ord: number;
  readonly rank: number;
}

export interface SegmentResult {
  readonly hits: readonly RowHit[];
  /** Number of rows compared. */
  readonly scanned: number;
  /**
   * Whether the hits come from the requested structure; false if rows were scanned instead; undefined if no structure
   * was requested or there was nothing to search.
   */
  readonly usedStructure: boolean | undefined;
  /** Whether there may be further hits among the `k` best, because a structure looked for fewer. */
  readonly isCut: boolean;
}

/** If a smaller share of the rows passes the filter, structures mostly visit rows that do not pass. */
const RARE = 0.02;
/** In that case, up to this many bytes are scanned instead. */
const RARE_BYTES = 64 * 1024 * 1024;
/** Cost of selecting a row, in bytes. */
const SELECTION_COST = 16;
/** Factor by which the number of candidates grows when too few results were found. */
const WIDENING = 4;
/** Rows that are requested for each document that is wanted. */
const ROWS_PER_DOCUMENT = 2;

/** Finds the k best rows or documents of a segment. */
export async function searchSegment(segment: Segment, query: SegmentQuery): Promise<SegmentResult> {
  const release = segment.hold();
  const search = new Search(segment, query);
  try {
    return await search.run();
  } finally {
    search.scratch.release();
    release();
  }
}

class Search {
  readonly scratch: Scratch;
  readonly #segment: Segment;
  readonly #query: SegmentQuery;
  readonly #metric: number;
  /** Rows from here on were written after the search began. */
  readonly #rows: number;
  #bitmap = 0;
  #selected = 0;
  #scanned = 0;
  #isCut = false;
  #address = 0;

  constructor(segment: Segment, query: SegmentQuery) {
    this.scratch = new Scratch(segment);
    this.#segment = segment;
    this.#query = query;
    this.#metric = METRIC_CODES[query.metric];
    this.#rows = segment.rowCount;
  }

  async run(): Promise<SegmentResult> {
    if (this.#rows === 0 || this.#query.k < 1) return this.#result(undefined, undefined);
    const { runs } = this.#query;
    if (runs === undefined) await this.#select();
    else this.#selected = runs.reduce((sum, { count }) => sum + count, 0);
    if (this.#selected === 0) return this.#result(undefined, undefined);
    this.#placeQuery();
    const { algorithm } = this.#query;
    const factory = algorithm && this.#segment.structures.factory(algorithm);
    if (factory === undefined)
      return this.#result(await this.#scanAll(),
        algorithm !== undefined && this.#segment.type === 'float32' ? false : undefined);
    if (this.#rows < factory.minRows) return this.#result(await this.#scanAll(), false);
    const structure = this.#segment.structures.use(factory, this.#query.metric);
    if (structure === undefined || this.#isSmall()) return this.#result(await this.#scanAll(), false);
    if (runs !== undefined) this.#selectRuns(runs);
    return this.#result(await this.#approximate(factory, structure), true);
  }

  /** Determines the rows that are live and pass the filter. */
  async #select(): Promise<void> {
    const { filter } = this.#query;
    const segment = this.#segment;
    if (filter === undefined && segment.liveCount === this.#rows) {
      this.#selected = this.#rows;
      return;
    }
    const live = segment.liveCount;
    const bytes = Math.ceil(this.#rows / 64) * 8;
    this.#bitmap = this.scratch.allocate(bytes);
    const known = segment.selections.find(filter, this.#rows, live);
    if (known !== undefined) {
      segment.bytes.set(known.bitmap, this.#bitmap);
      this.#selected = known.selected;
      return;
    }
    const filterAt = filter === undefined ? 0 : this.scratch.allocate(filter.length * 4);
    if (filter !== undefined) segment.rows.u32(filterAt, filter.length).set(filter);
    const work: Work = { from: 0, to: this.#rows, bytesPerRow: SELECTION_COST, portion: this.#query.portion };
    const cuts = divide(segment, work).map(({ from }) => from & ~63);
    const counts = await settleAll(
      cuts.map((from, i) =>
        callKernel(segment, isQuick(segment, work), 'selectRows', [this.#bitmap, from, cuts[i + 1] ?? this.#rows,
          filterAt, filter?.length ?? 0])
      ),
    );
    this.#selected = counts.reduce((sum, count) => sum + count, 0);
    // A row that was removed meanwhile may or may not be in the bitmap, so the selection is only kept if there was
    // none.
    if (segment.liveCount === live)
      segment.selections.keep({
        filter,
        rows: this.#rows,
        live,
        bitmap: segment.bytes.slice(this.#bitmap, this.#bitmap + bytes),
        selected: this.#selected,
      });
  }

  /** As `#select`, without testing all rows. */
  #selectRuns(runs: readonly RowRun[]): void {
    const bytes = Math.ceil(this.#rows / 64) * 8;
    this.#bitmap = this.scratch.allocate(bytes);
    const bitmap = this.#segment.bytes.subarray(this.#bitmap, this.#bitmap + bytes).fill(0);
    for (const { row: first, count } of runs)
      for (let row = first; row < first + count; row++) bitmap[row >>> 3]! |= 1 << (row & 7);
  }

  #placeQuery(): void {
    const { call, rows, dims } = this.#segment;
    const bytes = call.preparedQueryBytes(dims);
    this.#address = this.scratch.allocate(bytes);
    rows.bytes.fill(0, this.#address, this.#address + bytes);
    rows.f32(this.#address, dims).set(this.#query.vector);
    call.prepareQuery(this.#address, this.#metric);
  }

  #isSmall(): boolean {
    const bytes = this.#selected * this.#segment.stride;
    return bytes <= this.#segment.exactBytes || (this.#selected < this.#rows * RARE && bytes <= RARE_BYTES);
  }

  #openHeap(k: number): number {
    const kind = HEAP_KINDS[this.#query.perDocument ? 'documents' : 'rows'];
    const heap = this.scratch.allocate(this.#segment.call.heapBytes(k, kind));
    this.#segment.call.openHeap(heap, k, kind);
    return heap;
  }

  /** Scans all rows that are selected. */
  #scanAll(): Promise<number> {
    const { runs } = this.#query;
    const work: Work = {
      from: 0,
      to: this.#selected,
      bytesPerRow: this.#segment.stride,
      portion: this.#query.portion,
    };
    if (runs !== undefined && isQuick(this.#segment, work)) return this.#scanRuns(runs);
    if (runs !== undefined) this.#selectRuns(runs);
    return this.#scan(0);
  }

  /**
   * Scores the rows of a few documents: like candidates they are anywhere in memory, and a bitmap of all rows would
   * take longer.
   */
  async #scanRuns(runs: readonly RowRun[]): Promise<number> {
    const list = this.scratch.allocate(this.#selected * 4);
    const numbers = this.#segment.rows.u32(list, this.#selected);
    let next = 0;
    for (const { row: first, count } of runs) for (let row = first; row < first + count; row++) numbers[next++] = row;
    numbers.sort();
    const heap = this.#openHeap(Math.min(this.#query.k, this.#selected));
    this.#segment.call.rescore(this.#address, this.#metric, list, this.#selected, this.#rows, 0, 0, heap);
    this.#scanned = this.#selected;
    return heap;
  }

  /** Scans the rows from `from` on; adds them to the heap `into`, if there is one. */
  async #scan(from: number, into?: number): Promise<number> {
    const segment = this.#segment;
    const k = Math.min(this.#query.k, this.#selected);
    const { portion } = this.#query;
    const share = this.#selected / this.#rows;
    const work: Work = { from, to: this.#rows, bytesPerRow: segment.stride, share, portion };
    const heaps = await settleAll(divide(segment, work).map(async (part, i) => {
      const heap = i === 0 && into !== undefined ? into : this.#openHeap(k);
      await callKernel(segment, isQuick(segment, work), 'scan', [this.#address, this.#metric, part.from, part.to,
        this.#bitmap, heap]);
      return heap;
    }));
    this.#scanned += from === 0 ? this.#selected : this.#rows - from;
    const heap = heaps[0] ?? into ?? this.#openHeap(k);
    for (const other of heaps.slice(1)) segment.call.absorb(heap, other);
    return heap;
  }

  /**
   * Scores a structure's candidates and the rows that it does not contain yet; requests more candidates if too few
   * results were found.
   */
  async #approximate(factory: AnnFactory, structure: AnnIndex): Promise<number> {
    const { portion, oversample } = this.#query;
    const wanted = Math.min(expectedOf(this.#query.k, portion), this.#selected);
    const enough = Math.min(expectedOf(this.#query.enough, portion), wanted);
    let least = this.#query.perDocument ? enough * ROWS_PER_DOCUMENT : enough;
    const all = factory.candidates(Math.min(this.#query.k, this.#selected), this.#rows / portion.share, oversample,
      this.#segment.dims);
    for (let k = Math.max(wanted, expectedOf(all, portion)); k < this.#selected; least = k *= WIDENING) {
      const { heap, exhausted } = await this.#attempt(structure, k, Math.min(k, least), wanted);
      if (this.#segment.call.heldBy(heap) >= enough) {
        this.#isCut = wanted < Math.min(this.#query.k, this.#selected) && this.#segment.call.heldBy(heap) >= wanted;
        return heap;
      }
      if (exhausted) break;
    }
    return this.#scan(0);
  }

  async #attempt(structure: AnnIndex, k: number, least: number,
    wanted: number): Promise<{ heap: number; exhausted: boolean }>
  {
    const segment = this.#segment;
    const border = segment.call.documentStart(Math.min(structure.covers, this.#rows), this.#rows) >>> 0;
    const { metric, options, perDocument, portion } = this.#query;
    const scoring: Scoring = { border, heap: this.#openHeap(wanted) };
    const found = await structure.search({
      query: this.#address,
      metric,
      k,
      least,
      rows: this.#bitmap,
      rowCount: this.#rows,
      selected: this.#selected,
      perDocument,
      options,
      portion,
      scoring,
    });
    this.scratch.adopt(found.address, found.bytes);
    this.#scanned += found.scanned;
    const heap = found.areScored === true
      ? scoring.heap
      : await this.#score(found, border, wanted, perDocument && structure.findsRows !== true);
    if (border < this.#rows) await this.#scan(border, heap);
    return { heap, exhausted: found.count < least };
  }

  /**
   * Scores candidates below the row `border` by their stored vectors; with `isWhole`, their neighbours in their
   * documents, too.
   */
  async #score({ address, count }: Candidates, border: number, wanted: number, isWhole: boolean): Promise<number> {
    const segment = this.#segment;
    const heap = this.#openHeap(wanted);
    segment.rows.u32(address, count).sort();
    const work: Work = { from: 0, to: count, bytesPerRow: segment.stride, portion: this.#query.portion };
    await callKernel(segment, isQuick(segment, work), 'rescore', [this.#address, this.#metric, address, count, border,
      this.#bitmap, isWhole ? 1 : 0, heap]);
    return heap;
  }

  #result(heap: number | undefined, usedStructure: boolean | undefined): SegmentResult {
    const segment = this.#segment;
    const hits: RowHit[] = [];
    const count = heap === undefined ? 0 : segment.call.closeHeap(heap);
    const entries = heap === undefined ? 0 : segment.call.entriesOf(heap);
    const numbers = segment.rows.u32(entries, count * (ENTRY_BYTES / 4));
    const ranks = segment.rows.f32(entries, count * (ENTRY_BYTES / 4));
    for (let i = 0; i < numbers.length; i += ENTRY_BYTES / 4)
      hits.push({
        segment,
        row: numbers[i + ENTRY_WORDS.row]!,
        ord: ~numbers[i]! >>> 0,
        rank: ranks[i + ENTRY_WORDS.score]!,
      });
    return { hits, scanned: this.#scanned, usedStructure, isCut: this.#isCut };
  }
}
