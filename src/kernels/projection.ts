import { instantiateKernel, type KernelBuild, loadKernel } from './load.ts';

/** Rounds of power iteration for each axis (decisions section 4.3). */
export const ROUNDS = 50;
/**
 * If an axis has less than this share of the variance of the first axis (or of the squares of the vectors), the rest
 * consists of rounding errors of 32-bit numbers, not of a direction.
 */
export const LEAST_SHARE = 1e-10;

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The positions of vectors on a plane. */
export interface Plane {
  /** In the order of the vectors; -1 to 1 on both axes, scaled so that the larger extent is 1. */
  readonly points: readonly Point[];
  /** The position of another vector; undefined if all vectors are equal, because then there is no axis. */
  readonly place: (vector: Float32Array) => Point | undefined;
}

/** Pauses between slices; a `Pace` has such a method. */
type Rest = () => Promise<void>;

/** Exports of `asm/projection.ts`, where their contracts are documented. */
interface ProjectionExports extends WebAssembly.Exports {
  rowBytes(dims: number): number;
  addRows(rows: number, stride: number, first: number, end: number, sum: number): void;
  centreRows(rows: number, stride: number, first: number, end: number, mean: number): void;
  addCovariance(rows: number, stride: number, first: number, end: number, axis: number, sum: number): void;
  dot(a: number, b: number, bytes: number): number;
  addScaled(from: number, factor: number, to: number, bytes: number): void;
  scale(a: number, factor: number, bytes: number): void;
  largest(a: number, bytes: number): number;
}

const PAGE = 65_536;
/** Bytes of rows that a slice reads, in about a millisecond. */
const SLICE_BYTES = 2 ** 21;
/** The inverse of this power of two is still a 32-bit number. */
const MIN_EXPONENT = -126;
const MAX_FACTOR = 2 ** 127;

/** Projects vectors in a WebAssembly memory of its own, in slices of a few milliseconds. */
export class ProjectionKernel {
  readonly #memory: WebAssembly.Memory;
  readonly #call: ProjectionExports;
  readonly #dims: number;
  readonly #stride: number;
  readonly #count: number;
  readonly #rest: Rest;
  // Addresses of single rows; the vectors follow them.
  readonly #mean: number;
  readonly #axes: readonly [number, number];
  readonly #sums: number;
  readonly #rows: number;
  /**
   * A power of two that scales the vectors to a size of about 1, so that no product exceeds the range of 32-bit
   * numbers.
   */
  #factor = 1;

  /** All `vectors` must have the same dimension. */
  constructor(vectors: readonly Float32Array[], rest: Rest, build: KernelBuild = 'release') {
    this.#dims = vectors[0]?.length ?? 0;
    this.#count = vectors.length;
    this.#rest = rest;
    this.#memory = new WebAssembly.Memory({ initial: 1 });
    this.#call = instantiateKernel(loadKernel('projection', build), this.#memory) as ProjectionExports;
    this.#stride = this.#call.rowBytes(this.#dims);
    [this.#mean, this.#axes, this.#sums, this.#rows] = [PAGE, [PAGE + this.#stride, PAGE + 2 * this.#stride],
      PAGE + 3 * this.#stride, PAGE + 4 * this.#stride];
    this.#memory.grow(Math.ceil((this.#stride * (this.#count + 4)) / PAGE));
    for (const [i, vector] of vectors.entries()) this.#write(this.#rows + i * this.#stride, vector);
  }

  async project(): Promise<Plane> {
    await this.#bringIntoRange();
    const squares = await this.#centre();
    const first = await this.#findAxis(0, LEAST_SHARE * squares);
    if (first === 0)
      return {
        points: Array.from({ length: this.#count }, () => ({ x: 0, y: 0 })),
        place: () => undefined,
      };
    const xs = await this.#takeAway(this.#axes[0]);
    await this.#findAxis(1, LEAST_SHARE * first);
    const ys = await this.#takeAway(this.#axes[1]);
    return this.#plane(xs, ys);
  }

  async #bringIntoRange(): Promise<void> {
    const { largest, scale } = this.#call;
    let most = 0;
    await this.#inSlices((from, end) => {
      for (let row = from; row < end; row++) most = Math.max(most, Math.abs(largest(this.#rowAt(row), this.#stride)));
    });
    this.#factor = most === 0 ? 1 : 2 ** -Math.max(MIN_EXPONENT, Math.floor(Math.log2(most)));
    await this.#inSlices((from, end) => scale(this.#rowAt(from), this.#factor, (end - from) * this.#stride));
  }

  /** Subtracts the mean; returns the sum of the squares of all numbers before. */
  async #centre(): Promise<number> {
    const { addRows, scale, centreRows, dot } = this.#call;
    let squares = 0;
    await this.#inSlices((from, end) => {
      addRows(this.#rows, this.#stride, from, end, this.#mean);
      for (let row = from; row < end; row++) squares += dot(this.#rowAt(row), this.#rowAt(row), this.#stride);
    });
    scale(this.#mean, 1 / this.#count, this.#stride);
    await this.#inSlices((from, end) => centreRows(this.#rows, this.#stride, from, end, this.#mean));
    return squares;
  }

  /**
   * Finds a principal component of the remaining rows; returns its eigenvalue, or 0 and an axis of zeros if the sum of
   * the remaining squares is at most `least`.
   */
  async #findAxis(index: 0 | 1, least: number): Promise<number> {
    const axis = this.#axes[index];
    const { longest, squares } = await this.#whatIsLeft();
    this.#clear(axis);
    if (!(squares > least)) return 0;
    // Start with the longest row: no axis with a considerable variance is orthogonal to it.
    this.#setUnit(axis, longest);
    let eigenvalue = 0;
    for (let round = 0; round < ROUNDS; round++) {
      this.#clear(this.#sums);
      await this.#inSlices((from, end) =>
        this.#call.addCovariance(this.#rows, this.#stride, from, end, axis, this.#sums)
      );
      if (index === 1) this.#loseComponent(this.#sums, this.#axes[0]);
      eigenvalue = this.#lengthOf(this.#sums);
      if (eigenvalue === 0) break; // the sums are too small for 32-bit numbers
      this.#setUnit(axis, this.#sums);
    }
    if (eigenvalue === 0) this.#clear(axis);
    if (this.#call.largest(axis, this.#stride) < 0) this.#call.scale(axis, -1, this.#stride);
    return eigenvalue;
  }

  async #whatIsLeft(): Promise<{ longest: number; squares: number }> {
    let [longest, most, squares] = [this.#rows, 0, 0];
    await this.#inSlices((from, end) => {
      for (let row = from; row < end; row++) {
        const at = this.#rowAt(row);
        const square = this.#call.dot(at, at, this.#stride);
        if (square > most) [longest, most] = [at, square];
        squares += square;
      }
    });
    return { longest, squares };
  }

  /** Deflation: subtracts the component along an axis from all rows; returns the coordinates on this axis. */
  async #takeAway(axis: number): Promise<number[]> {
    const coordinates: number[] = [];
    await this.#inSlices((from, end) => {
      for (let row = from; row < end; row++) coordinates.push(this.#loseComponent(this.#rowAt(row), axis));
    });
    return coordinates;
  }

  #loseComponent(row: number, axis: number): number {
    const share = this.#call.dot(row, axis, this.#stride);
    this.#call.addScaled(axis, -share, row, this.#stride);
    return share;
  }

  /** to = from, normalised to length 1, in two steps, because the square of a small number may underflow in 32 bits. */
  #setUnit(to: number, from: number): void {
    const { addScaled, scale, largest } = this.#call;
    const factor = 1 / Math.abs(largest(from, this.#stride));
    this.#clear(to);
    addScaled(from, Math.min(factor, MAX_FACTOR), to, this.#stride);
    scale(to, 1 / this.#lengthOf(to), this.#stride);
  }

  #lengthOf(row: number): number {
    return Math.sqrt(this.#call.dot(row, row, this.#stride));
  }

  #plane(xs: readonly number[], ys: readonly number[]): Plane {
    const extent = xs.reduce((most, x, i) => Math.max(most, Math.abs(x), Math.abs(ys[i]!)), 0);
    return {
      points: xs.map((x, i) => ({ x: x / extent, y: ys[i]! / extent })),
      place: (vector) => {
        this.#write(this.#sums, vector);
        this.#call.scale(this.#sums, this.#factor, this.#stride);
        this.#call.centreRows(this.#sums, this.#stride, 0, 1, this.#mean);
        const [x, y] = this.#axes.map((axis) => this.#loseComponent(this.#sums, axis));
        return { x: x! / extent, y: y! / extent };
      },
    };
  }

  #rowAt(row: number): number {
    return this.#rows + row * this.#stride;
  }

  #write(address: number, vector: Float32Array): void {
    this.#floats(address).set(vector);
  }

  #clear(address: number): void {
    this.#floats(address).fill(0);
  }

  #floats(address: number): Float32Array {
    return new Float32Array(this.#memory.buffer, address, this.#dims);
  }

  async #inSlices(work: (from: number, end: number) => void): Promise<void> {
    const step = Math.max(1, Math.floor(SLICE_BYTES / this.#stride));
    for (let from = 0; from < this.#count; from += step) {
      work(from, Math.min(this.#count, from + step));
      await this.#rest();
    }
  }
}
