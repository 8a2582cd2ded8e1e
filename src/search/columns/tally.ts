import { Buffers, type ColumnsKernel } from '../../kernels/columns.ts';
import type { Facet, Tally, ValueCount } from './contract.ts';

const ENTRY = 16;

/** Of a field that no document has. */
export const NO_TALLY: Tally = {
  values: 0,
  counts: new Uint32Array(),
  hashes: () => new Uint32Array(),
  best: () => [],
  countOf: () => 0,
};

/** How many documents each value of a column has, as `countValues` has left it in the kernel. */
export class KernelTally implements Tally {
  readonly #kernel: ColumnsKernel;
  readonly #column: number;
  /** Numbers of the values that documents have. */
  readonly #touched: Uint32Array;
  /** By number of the value. */
  readonly #all: Uint32Array;

  readonly #use: <T>(work: () => T) => T;

  /** `use` runs each call of the kernel. */
  constructor(kernel: ColumnsKernel, column: number, touched: number, use: <T>(work: () => T) => T) {
    this.#use = use;
    this.#kernel = kernel;
    this.#column = column;
    this.#touched = this.#words(Buffers.touched, touched).slice();
    this.#all = this.#words(Buffers.counts, kernel.call.valueEnd(column)).slice();
  }

  get values(): number {
    return this.#touched.length;
  }

  get counts(): Uint32Array {
    return this.#touched.map((value) => this.#all[value]!);
  }

  hashes(): Uint32Array {
    this.#words(Buffers.touched, this.values).set(this.#touched);
    this.#use(() => this.#kernel.call.hashesOf(this.#column, this.values));
    return this.#words(Buffers.output, this.values).slice();
  }

  best(orderBy: Facet['orderBy'], limit: number, counts = this.counts): ValueCount[] {
    this.#words(Buffers.touched, this.values).set(this.#touched);
    const all = this.#words(Buffers.counts, this.#all.length);
    for (let i = 0; i < counts.length; i++) all[this.#touched[i]!] = counts[i]!;
    return this.#use(() => selectValues(this.#kernel, this.#column, this.values, { orderBy, limit }));
  }

  countOf(value: string): number {
    const number = this.#use(() => this.#kernel.call.valueWith(this.#column, this.#kernel.inputText(value)));
    return number === 0 ? 0 : this.#all[number]!;
  }

  #words(buffer: number, length: number): Uint32Array {
    return new Uint32Array(this.#kernel.memory.buffer, this.#kernel.address(buffer), length);
  }
}

/** The best of the values that were counted. */
export function selectValues(kernel: ColumnsKernel, column: number, touched: number,
  { orderBy, limit }: Pick<Facet, 'orderBy' | 'limit'>): ValueCount[]
{
  const count = kernel.call.selectValues(column, touched, orderBy === 'value' ? 1 : 0, limit);
  const { view } = kernel;
  const at = kernel.address(Buffers.output);
  return Array.from({ length: count }, (_, i) => ({
    value: kernel.text(view.getUint32(at + ENTRY * i + 8, true), view.getUint32(at + ENTRY * i + 12, true)),
    count: view.getUint32(at + ENTRY * i + 4, true),
  }));
}
