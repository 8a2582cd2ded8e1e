import { Buffers, type ColumnsKernel } from '../../kernels/columns.ts';
import type { Facet, NumberedTally, ValueCount } from './contract.ts';

const ENTRY = 16;

/** Of a field that no document has. */
export const NO_TALLY: NumberedTally = {
  size: 0,
  numbers: new Uint32Array(),
  counts: new Uint32Array(),
  numbering: 0,
  textOf: () => '',
  hashes: () => new Uint32Array(),
  best: () => [],
  countsOf: (values) => new Uint32Array(values.length),
};

/** Where the kernel has counted. */
interface Counted {
  readonly column: number;
  /** Number of values that have documents. */
  readonly touched: number;
  readonly numbering: number;
  /** Runs each call of the kernel. */
  use<T>(work: () => T): T;
}

/** How many documents each value of a column has, as `countValues` has left it in the kernel. */
export class KernelTally implements NumberedTally {
  readonly #kernel: ColumnsKernel;
  readonly #counted: Counted;
  readonly numbers: Uint32Array;
  /** By number of the value. */
  readonly #all: Uint32Array;

  constructor(kernel: ColumnsKernel, counted: Counted) {
    this.#kernel = kernel;
    this.#counted = counted;
    this.numbers = this.#words(Buffers.touched, counted.touched).slice();
    this.#all = this.#words(Buffers.counts, kernel.call.valueEnd(counted.column)).slice();
  }

  get size(): number {
    return this.numbers.length;
  }

  get numbering(): number {
    return this.#counted.numbering;
  }

  get counts(): Uint32Array {
    return this.numbers.map((number) => this.#all[number]!);
  }

  textOf(number: number): string {
    const { use, column } = this.#counted;
    return use(() => this.#kernel.valueText(column, number));
  }

  hashes(): Uint32Array {
    this.#words(Buffers.touched, this.numbers.length).set(this.numbers);
    const { use, column } = this.#counted;
    use(() => this.#kernel.call.hashesOf(column, this.numbers.length));
    return this.#words(Buffers.output, this.numbers.length).slice();
  }

  best(orderBy: Facet['orderBy'], limit: number, counts = this.counts): ValueCount[] {
    this.#words(Buffers.touched, this.numbers.length).set(this.numbers);
    const all = this.#words(Buffers.counts, this.#all.length);
    for (let i = 0; i < counts.length; i++) all[this.numbers[i]!] = counts[i]!;
    const { use, column } = this.#counted;
    return use(() => selectValues(this.#kernel, column, this.numbers.length, { orderBy, limit }));
  }

  countsOf(values: readonly string[]): number[] {
    const { use, column } = this.#counted;
    return use(() =>
      values.map((value) => {
        const number = this.#kernel.call.valueWith(column, this.#kernel.inputText(value));
        return number === 0 ? 0 : this.#all[number]!;
      })
    );
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
