import * as layout from '../../generated/kernels/similarity.ts';
import { instantiateKernel, type KernelBuild, loadKernel } from './load.ts';

/** The measure of similarity: the cosine, the dot product, or 1 / (1 + distance). */
export type SimilarityMetric = 'cosine' | 'dot_product' | 'euclidean';

/** Rows that are similar to one another, directly or through others. */
interface SimilarRows {
  /** Mean score of the pairs that reach the threshold. */
  readonly score: number;
  /** Ascending. */
  readonly rows: readonly number[];
  /** For each row, its greatest score in such a pair. */
  readonly best: readonly number[];
}

export interface SimilarityResult {
  /** Number of pairs of rows that reach the threshold. */
  readonly pairs: number;
  /** Sorted by their first row. */
  readonly groups: readonly SimilarRows[];
}

/** Exports of `asm/similarity.ts`, where their contracts are documented. */
interface SimilarityExports extends WebAssembly.Exports {
  rowBytes(dims: number): number;
  nodeBytes(): number;
  addVector(row: number, vector: number, stride: number): void;
  scaleRow(row: number, factor: number, stride: number): void;
  extent(row: number, stride: number): number;
  dot(a: number, b: number, stride: number): number;
  scoreOf(a: number, b: number, stride: number, squareOfA: number, squareOfB: number, metric: number): number;
  plant(forest: number, count: number): void;
  codeBytes(dims: number): number;
  encodeRows(rows: number, stride: number, dims: number, count: number, codes: number): void;
  compareBlocks(rows: number, stride: number, squares: number, codes: number, codeStride: number, forest: number,
    metric: number, threshold: number, limit: number, half: number, first: number, end: number, otherFirst: number,
    otherEnd: number): number;
  rootOf(forest: number, row: number): number;
  bestOf(forest: number, row: number): number;
  sumOf(forest: number, root: number): number;
  pairsOf(forest: number, root: number): number;
}

const METRICS: Readonly<Record<SimilarityMetric, number>> = {
  cosine: layout.COSINE,
  dot_product: layout.DOT_PRODUCT,
  euclidean: layout.EUCLIDEAN,
};
const PAGE = 65_536;
/** Maximum size of the memory, in bytes. */
const MAX_BYTES = 2 ** 31;
/** Bytes per row besides its numbers. */
const ROW_EXTRA = 48;
/** Bytes of the codes of a block of rows, which stay in the processor's L2 cache while other blocks are read. */
const BLOCK_BYTES = 192 * 1024;
/** Relative rounding error of a 32-bit number. */
const ROUNDING = 2 ** -24;

/** Maximum number of rows of `dims` numbers in a kernel. */
export function similarityRoom(dims: number): number {
  return Math.floor((MAX_BYTES - 2 * PAGE) / (dims * 5 + ROW_EXTRA + 48));
}

/** Collects the mean vectors of documents and finds the pairs of them that are similar. */
export class SimilarityKernel {
  readonly #memory = new WebAssembly.Memory({ initial: 1 });
  readonly #call: SimilarityExports;
  readonly #dims: number;
  readonly #metric: SimilarityMetric;
  readonly #stride: number;
  readonly #input = PAGE;
  readonly #rows: number;
  #count = 0;

  constructor(dims: number, metric: SimilarityMetric, build: KernelBuild = 'release') {
    this.#call = instantiateKernel(loadKernel('similarity', build), this.#memory) as SimilarityExports;
    this.#dims = dims;
    this.#metric = metric;
    this.#stride = this.#call.rowBytes(dims);
    this.#rows = PAGE + this.#stride;
  }

  get count(): number {
    return this.#count;
  }

  /** Adds a row: the mean of one or more concatenated `vectors`. */
  add(vectors: Float32Array): void {
    const { addVector, scaleRow } = this.#call;
    const row = this.#rowAt(this.#count);
    this.#reserve(row + this.#stride);
    const chunks = vectors.length / this.#dims;
    for (let chunk = 0; chunk < chunks; chunk++) {
      new Float32Array(this.#memory.buffer, this.#input, this.#dims).set(
        vectors.subarray(chunk * this.#dims, (chunk + 1) * this.#dims),
      );
      addVector(row, this.#input, this.#stride);
    }
    // Scaled last, so that vectors that cancel each other add up to exactly zero.
    if (chunks > 1) scaleRow(row, 1 / chunks, this.#stride);
    if (this.#metric === 'cosine') this.#normalize(row);
    this.#count++;
  }

  /** A copy of a row; for the cosine, rows have length 1. */
  row(index: number): Float32Array {
    return new Float32Array(this.#memory.buffer, this.#rowAt(index), this.#dims).slice();
  }

  /** Similarity of two rows. */
  score(a: number, b: number): number {
    const { scoreOf, dot } = this.#call;
    const [x, y] = [this.#rowAt(a), this.#rowAt(b)];
    return scoreOf(x, y, this.#stride, dot(x, x, this.#stride), dot(y, y, this.#stride), METRICS[this.#metric]);
  }

  /** Compares every row with every other; must be called once, after the last row was added. */
  compare(threshold: number): SimilarityResult {
    const squares = this.#rowAt(this.#count);
    const codes = squares + ((this.#count * 8 + 15) & ~15);
    const codeStride = this.#call.codeBytes(this.#dims);
    const forest = codes + this.#count * codeStride;
    this.#reserve(forest + this.#count * this.#call.nodeBytes());
    this.#call.plant(forest, this.#count);
    const largest = this.#square(squares);
    const { limit, half } = this.#filter(threshold, largest);
    this.#call.encodeRows(this.#rows, this.#stride, this.#dims, this.#count, codes);
    const block = Math.max(4, Math.floor(BLOCK_BYTES / codeStride / 4) * 4);
    let pairs = 0;
    for (let first = 0; first < this.#count; first += block) {
      const end = Math.min(this.#count, first + block);
      for (let other = first; other < this.#count; other += block) {
        pairs +=
          this.#call.compareBlocks(this.#rows, this.#stride, squares, codes, codeStride, forest, METRICS[this.#metric],
            threshold, limit, half, first, end, other, Math.min(this.#count, other + block)) >>> 0;
      }
    }
    return { pairs, groups: this.#groups(forest) };
  }

  /** Computes the squared length of each row; returns the largest. */
  #square(squares: number): number {
    const values = new Float64Array(this.#memory.buffer, squares, this.#count);
    let largest = 0;
    for (let row = 0; row < this.#count; row++) {
      const at = this.#rowAt(row);
      values[row] = this.#call.dot(at, at, this.#stride);
      largest = Math.max(largest, values[row]!);
    }
    return largest;
  }

  /**
   * The product of 32-bit numbers above which a pair is checked exactly. A sum of d products has an error of at most d
   * roundings of the product of the lengths (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1); the
   * rest of the slack covers the squares and the limit itself.
   */
  #filter(threshold: number, largest: number): { limit: number; half: number } {
    const slack = (this.#dims + 32) * ROUNDING * largest;
    if (this.#metric !== 'euclidean') return { limit: threshold - slack - ROUNDING * 4, half: 0 };
    if (threshold <= 0) return { limit: -Infinity, half: 0.5 };
    const farthest = 1 / threshold - 1;
    const square = farthest * farthest * (1 + 2 ** -20) + 2 ** -40;
    return { limit: -(square / 2) - slack, half: 0.5 };
  }

  #groups(forest: number): SimilarRows[] {
    const { rootOf, bestOf, sumOf, pairsOf } = this.#call;
    const groups = new Map<number, { score: number; rows: number[]; best: number[] }>();
    for (let row = 0; row < this.#count; row++) {
      const root = rootOf(forest, row) >>> 0;
      const pairs = pairsOf(forest, root);
      if (pairs === 0) continue;
      let group = groups.get(root);
      if (group === undefined) groups.set(root, group = { score: sumOf(forest, root) / pairs, rows: [], best: [] });
      group.rows.push(row);
      group.best.push(bestOf(forest, row));
    }
    return [...groups.values()];
  }

  /** In two steps, because the square of a large or small number may overflow or underflow. */
  #normalize(row: number): void {
    const { extent, scaleRow, dot } = this.#call;
    const most = extent(row, this.#stride);
    if (most === 0) return;
    scaleRow(row, 2 ** -Math.max(-126, Math.floor(Math.log2(most))), this.#stride);
    scaleRow(row, 1 / Math.sqrt(dot(row, row, this.#stride)), this.#stride);
  }

  #rowAt(index: number): number {
    return this.#rows + index * this.#stride;
  }

  /** Grows by more than required, because rows are added one by one. */
  #reserve(end: number): void {
    const { byteLength } = this.#memory.buffer;
    if (end <= byteLength) return;
    if (end > MAX_BYTES)
      throw new RangeError(`${this.#count} vectors of ${this.#dims} numbers are more than can be compared`);
    const wanted = Math.min(MAX_BYTES, Math.max(end, byteLength * 1.25));
    this.#memory.grow(Math.ceil((wanted - byteLength) / PAGE));
  }
}
