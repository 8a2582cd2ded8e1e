import { Buffers, Column, type ColumnsKernel, FLAG, SortFlags, SortKind, Time } from '../../kernels/columns.ts';
import { type SortKey, type SortValue, sortValueOf } from '../order/index.ts';
import type { Scores, SortedDocument, SortedRows, Sorting } from './contract.ts';

const KEY = 32;
/** Comparisons of an order that is built in one call. */
const ALL_AT_ONCE = 1 << 24;

/** A sort key as the kernel represents it. */
interface KernelKey {
  readonly kind: number;
  readonly column: number;
  readonly order: number;
  readonly flags: number;
}

const TIE: KernelKey = { kind: SortKind.tie, column: Column.identity, order: 0, flags: 0 };

/** Translates a key for the kernel; a metadata key that no document has becomes a time that no document has. */
function kernelKey({ column, descending }: SortKey, columnOf: (key: string) => number | undefined): KernelKey {
  const direction = descending ? SortFlags.descending : 0;
  switch (column.kind) {
    case 'score':
      return { kind: SortKind.score, column: 0, order: 0, flags: direction };
    case 'time':
      return { kind: SortKind.time, column: Time[column.name], order: 0, flags: direction };
    // Sorting by key uses only the key part of the identity; key and language both sort by their original spelling.
    case 'name':
      return column.name === 'key'
        ? { kind: SortKind.order, column: Column.identity, order: 1, flags: direction | SortFlags.spelled }
        : { kind: SortKind.order, column: Column.lang, order: 0, flags: direction | SortFlags.spelled };
    case 'meta': {
      const number = columnOf(column.key);
      return number === undefined
        ? { kind: SortKind.time, column: Time.none, order: 0, flags: direction }
        : { kind: SortKind.order, column: number, order: 0, flags: direction };
    }
  }
}

/** The orders of values that keys need, including the order of the ties, as pairs of column and order. */
export function neededOrders(keys: readonly SortKey[],
  columnOf: (key: string) => number | undefined): readonly (readonly [column: number, order: number])[]
{
  const orders = keys.map((key) => kernelKey(key, columnOf)).filter(({ kind }) => kind === SortKind.order);
  return [...orders, TIE].map(({ column, order }) => [column, order]);
}

/** The documents of a page, which the kernel holds until it sorts again. */
export interface SortedPage extends SortedRows {
  /** All of them. */
  read(): SortedDocument[];
}

const NONE: SortedPage = { length: 0, at: () => undefined, read: () => [] };

/** Sorts the documents of a level (see `Columns.sort`). Up to `few` documents, it visits all of them. */
export function sortLevel(kernel: ColumnsKernel, level: number, { keys, offset, count, after, scores }: Sorting,
  columnOf: (key: string) => number | undefined, few: number): SortedPage
{
  const { documents } = kernel.counts();
  if (count === 0 || offset >= documents) return NONE;
  const wanted = [...keys.map((key) => kernelKey(key, columnOf)), TIE];
  for (const { kind, column, order } of wanted) if (kind === SortKind.order) finishOrder(kernel, column, order);
  if (wanted.some(({ kind }) => kind === SortKind.score)) takeScores(kernel, scores ?? { ords: [], scores: [] });
  writeKeys(kernel, wanted, after?.tie);
  if (after !== undefined) { for (const [i, value] of after.place.entries()) mark(kernel, wanted[i]!, i, value); }
  const sort = (): number =>
    kernel.call.sortDocuments(level, wanted.length, offset, Math.min(offset + count, documents),
      after === undefined ? 0 : 1, few) >>> 0;
  let found = sort();
  if (found >= FLAG) {
    finishOrder(kernel, TIE.column, TIE.order);
    found = sort();
  }
  return pageOf(kernel, found, keys);
}

function pageOf(kernel: ColumnsKernel, length: number, keys: readonly SortKey[]): SortedPage {
  const size = keys.length + 1;
  const read = (from: number, count: number): SortedDocument[] => {
    kernel.call.describeSorted(from, count, size);
    return readDescribed(kernel, count, keys, size);
  };
  return {
    length,
    at: (index) => (index >= 0 && index < length ? read(index, 1)[0] : undefined),
    read: () => read(0, length),
  };
}

function finishOrder(kernel: ColumnsKernel, column: number, order: number): void {
  while (kernel.call.makeOrder(column, order, ALL_AT_ONCE) !== 0);
}

function writeKeys(kernel: ColumnsKernel, keys: readonly KernelKey[], tie = ''): void {
  let at = kernel.reserve(Buffers.keys, keys.length * KEY + tie.length * 3 + 16);
  const { view, bytes } = kernel;
  const textAt = at + keys.length * KEY;
  const length = bytes.write(tie, textAt);
  for (const { kind, column, order, flags } of keys) {
    for (const [i, number] of [kind, column, order, flags, 0, 0, textAt, length].entries())
      view.setUint32(at + 4 * i, number, true);
    at += KEY;
  }
}

/** Passes the last place of the previous page to the kernel. */
function mark(kernel: ColumnsKernel, { kind, column, order }: KernelKey, index: number, value: SortValue): void {
  const { call } = kernel;
  if (value === undefined) return call.markNone(index);
  // A text comes after all numbers: here, one of a metadata key that no document has, while others had it.
  if (kind !== SortKind.order) return call.markNumber(index, typeof value === 'number' ? value : Infinity);
  const length = kernel.inputText(typeof value === 'string' ? value : '');
  const [before, behind] = [0, 1].map((including) =>
    call.placeOf(column, order, typeof value === 'number' ? value : Number.NaN, length, including)
  );
  call.markPlace(index, before!, before === behind ? 0 : 1);
}

function takeScores(kernel: ColumnsKernel, { ords, scores }: Scores): void {
  const at = (kernel.reserve(Buffers.input, ords.length * 12 + 16) + 7) & ~7;
  new Float64Array(kernel.memory.buffer, at >>> 0, ords.length).set(scores);
  new Uint32Array(kernel.memory.buffer, (at >>> 0) + 8 * ords.length, ords.length).set(ords);
  kernel.call.takeScores((at >>> 0) + 8 * ords.length, at, ords.length);
}

function readDescribed(kernel: ColumnsKernel, found: number, keys: readonly SortKey[], size: number): SortedDocument[] {
  const { view } = kernel;
  const output = kernel.address(Buffers.output);
  return Array.from({ length: found }, (_, i) => {
    const at = output + 16 * size * i;
    const place = keys.map(({ column }, j): SortValue => {
      const [text, length, number] = [view.getUint32(at + 16 + 16 * j, true), view.getUint32(at + 20 + 16 * j, true),
        view.getFloat64(at + 24 + 16 * j, true)];
      if (text === 0) return Number.isNaN(number) ? undefined : number;
      return column.kind === 'meta' ? sortValueOf(kernel.text(text, length)) : kernel.text(text, length);
    });
    return {
      ord: view.getUint32(at, true),
      place,
      tie: kernel.text(view.getUint32(at + 4, true), view.getUint32(at + 8, true)),
    };
  });
}
