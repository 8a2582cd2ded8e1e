import { Buffers, Column, type ColumnsKernel } from '../../kernels/columns.ts';
import { type BoundName, BOUNDS, type Condition, toNumber, toSeconds } from '../filter/index.ts';

/** Longer texts may be sorted by only a part of them. */
const SHORT = 256;
/** Sorts after every text with the same beginning: UTF-8 never contains this byte. */
const BEHIND = 0xff;

type Interval = readonly [from: number, to: number];

/**
 * The order of a column in which the values that satisfy a range or a prefix are contiguous; undefined if there is
 * none.
 */
export function orderFor(column: number, condition: Condition): number | undefined {
  if (condition.kind !== 'range' && condition.kind !== 'prefix') return undefined;
  const isKey = column >= Column.keys;
  // The part of an identity after the `|` is the language, which no prefix tests.
  if (condition.kind === 'prefix')
    return isKey ? 1 : column === Column.identity && condition.prefix.includes('|') ? undefined : 0;
  const bounds = BOUNDS.filter((name) => condition.bounds[name] !== undefined).map((name) => condition.bounds[name]!);
  const moments = bounds.map((bound) => toNumber(bound) ?? toSeconds(bound));
  if (bounds.some((bound) => String(bound).length >= SHORT)) return undefined;
  if (moments.every((moment) => moment === undefined)) return isKey || column === Column.identity ? 1 : 0;
  const sortable = moments.every((moment) => moment !== undefined && Math.abs(moment) < Number.MAX_VALUE);
  return isKey && sortable ? 0 : undefined;
}

/** The intervals of the matching values in that order, which must be ready. */
export function intervalsOf(kernel: ColumnsKernel, column: number, order: number, condition: Condition): Interval[] {
  if (condition.kind === 'prefix') return [prefixInterval(kernel, column, order, condition.prefix)];
  if (condition.kind !== 'range') throw new Error(`a condition of kind ${condition.kind} has no intervals`);
  const bounds = BOUNDS.filter((name) => condition.bounds[name] !== undefined).map((name) => ({
    name,
    value: condition.bounds[name]!,
  }));
  const byText = (name: BoundName, value: string | number): number => {
    const length = kernel.inputText(String(value));
    return kernel.call.placeOf(column, order, Number.NaN, length, includes(name));
  };
  const byMoment = (name: BoundName, value: string | number): number =>
    kernel.call.placeOf(column, order, (toNumber(value) ?? toSeconds(value))!, 0, includes(name));
  const firstText = kernel.call.placeOf(column, order, Number.NaN, 0, 0);
  const narrowed = (interval: Interval, place: (name: BoundName, value: string | number) => number): Interval => {
    let [from, to] = interval;
    for (const { name, value } of bounds) {
      if (name === 'gte' || name === 'gt') from = Math.max(from, place(name, value));
      else to = Math.min(to, place(name, value));
    }
    return [from, to];
  };
  const everything: Interval = [0, kernel.call.sortedEnd(column, order)];
  if (column < Column.keys || order === 1) return [narrowed(everything, byText)];
  return [narrowed([0, firstText], byMoment), narrowed([firstText, everything[1]], byText)];
}

/** Whether the place is after the values that equal the bound (1) or before them (0). */
function includes(name: BoundName): number {
  return name === 'gt' || name === 'lte' ? 1 : 0;
}

function prefixInterval(kernel: ColumnsKernel, column: number, order: number, prefix: string): Interval {
  const length = kernel.inputText(prefix);
  const from = kernel.call.placeOf(column, order, Number.NaN, length, 0);
  kernel.bytes[kernel.address(Buffers.input) + length] = BEHIND;
  return [from, kernel.call.placeOf(column, order, Number.NaN, length + 1, 0)];
}
