import { Buffers, Column, type ColumnsKernel, Comparison, Time } from '../../kernels/columns.ts';
import { type BoundName, BOUNDS, type Bounds, columnOf, type Condition, type Filter, type RangeValue,
  toMoment } from '../filter/index.ts';

const BOUND = 24;
/** Levels that a filter may use, one for each level of its nesting: more than requests can nest. */
export const DEPTH = 32;

/**
 * Evaluates filters to levels of the kernel: a bit for each slot whose document passes. `testOf` defines what
 * conditions mean.
 */
export class Evaluation {
  readonly #kernel: ColumnsKernel;
  readonly #columnOf: (key: string) => number | undefined;

  readonly #fewValues: number;

  /** Conditions on columns of up to `fewValues` values use no order: each value is tested. */
  constructor(kernel: ColumnsKernel, columnOf: (key: string) => number | undefined, fewValues: number) {
    this.#kernel = kernel;
    this.#fewValues = fewValues;
    this.#columnOf = columnOf;
  }

  /**
   * Throws a RangeError on a filter that nests too deeply, and on a time compared with a value that is neither a number
   * nor a date.
   */
  run(filter: Filter, level: number): void {
    for (const _ of this.steps(filter, level));
  }

  /**
   * As `run`, with a pause after each condition; meanwhile, the `DEPTH` levels from this one on must not be used.
   * `level` is a multiple of `DEPTH`.
   */
  *steps(filter: Filter, level: number): Generator<undefined, void> {
    if (level % DEPTH === DEPTH - 1) throw new RangeError('the filter nests too deeply');
    const { call } = this.#kernel;
    switch (filter.kind) {
      case 'and':
        if (filter.parts.length === 0) call.fillLevel(level);
        for (const [i, part] of filter.parts.entries()) yield* this.#combine(part, level, i === 0 ? 'set' : 'and');
        return;
      case 'or':
        if (filter.parts.length === 0) call.clearLevel(level);
        for (const [i, part] of filter.parts.entries()) yield* this.#combine(part, level, i === 0 ? 'set' : 'or');
        return;
      case 'not':
        yield* this.steps(filter.part, level);
        return call.invertLevel(level);
      default:
        call.clearLevel(level);
        this.#unite(filter, level);
        yield;
    }
  }

  /** The orders of values without which the conditions of a filter are slow, as pairs of column and order. */
  neededOrders(filter: Filter): (readonly [column: number, order: number])[] {
    if ('parts' in filter) return filter.parts.flatMap((part) => this.neededOrders(part));
    if (filter.kind === 'not') return this.neededOrders(filter.part);
    const column = this.#numberOf(filter);
    const order = column === undefined
      ? undefined
      : this.#orderFor(column, columnOf(filter.field).kind === 'name' ? inLowerCase(filter) : filter);
    return order === undefined ? [] : [[column!, order]];
  }

  *#combine(part: Filter, level: number, how: 'set' | 'and' | 'or'): Generator<undefined, void> {
    const { call } = this.#kernel;
    if (how === 'set') return yield* this.steps(part, level);
    if (how === 'or' && !('parts' in part) && part.kind !== 'not') {
      this.#unite(part, level);
      return yield;
    }
    const negated = how === 'and' && part.kind === 'not';
    yield* this.steps(negated ? part.part : part, level + 1);
    if (negated) call.subtractLevels(level, level + 1);
    else if (how === 'and') call.intersectLevels(level, level + 1);
    else call.uniteLevels(level, level + 1);
  }

  #orderFor(column: number, condition: Condition): number | undefined {
    return this.#kernel.call.valueEnd(column) > this.#fewValues ? orderFor(column, condition) : undefined;
  }

  /** The column that holds the values of a condition; undefined for a time, and for a key that no document has. */
  #numberOf({ field }: Condition): number | undefined {
    const column = columnOf(field);
    if (column.kind === 'meta') return this.#columnOf(column.key);
    return column.kind === 'time' ? undefined : column.name === 'key' ? Column.identity : Column.lang;
  }

  /** Adds the documents of a condition to a level. */
  #unite(condition: Condition, level: number): void {
    const field = columnOf(condition.field);
    if (field.kind === 'time') return this.#uniteTimes(condition, Time[field.name], level);
    const column = this.#numberOf(condition);
    if (column !== undefined)
      this.#uniteValues(field.kind === 'name' ? inLowerCase(condition) : condition, column, level);
  }

  #uniteTimes(condition: Condition, field: number, level: number): void {
    const { call } = this.#kernel;
    const unite = (bounds: Bounds): void => {
      const [low, high] = closedInterval(bounds);
      call.uniteTimes(level, field, low, high);
    };
    switch (condition.kind) {
      case 'exists':
        return unite({});
      case 'range':
        return unite(condition.bounds);
      case 'match':
        return condition.values.forEach((value) => unite({ gte: value, lte: value }));
      case 'prefix':
        throw new RangeError(`${condition.field} is a time, which is not compared with the beginning of a text`);
    }
  }

  #uniteValues(condition: Condition, column: number, level: number): void {
    const { call } = this.#kernel;
    if (condition.kind === 'exists') return call.uniteExisting(level, column);
    if (condition.kind === 'match') return this.#uniteMatches(condition.values, column, level);
    call.openVerdicts(column);
    const order = this.#orderFor(column, condition);
    if (order !== undefined && call.isOrderReady(column, order) !== 0) {
      const [from, to] = intervalOf(this.#kernel, column, order, condition);
      call.passInterval(column, order, from, to);
    } else if (condition.kind === 'prefix')
      call.judgePrefix(column, 1, call.valueEnd(column), this.#kernel.inputText(condition.prefix));
    else call.judgeRange(column, 1, call.valueEnd(column), this.#inputBounds(condition.bounds));
    call.unitePassing(level, column);
  }

  #uniteMatches(values: readonly RangeValue[], column: number, level: number): void {
    const { call } = this.#kernel;
    const numbers = values.filter((value) => typeof value === 'number');
    for (const value of values) if (typeof value === 'string') this.#uniteText(value, column, level);
    if (numbers.length === 0) return;
    call.openVerdicts(column);
    this.#kernel.inputNumbers(Float64Array.from(numbers).sort());
    call.judgeNumbers(column, 1, call.valueEnd(column), numbers.length);
    call.unitePassing(level, column);
  }

  #uniteText(text: string, column: number, level: number): void {
    const { call } = this.#kernel;
    const length = this.#kernel.inputText(text);
    if (column === Column.identity) return call.uniteKey(level, length);
    const value = call.valueWith(column, length);
    if (value !== 0) call.uniteValue(level, column, value);
  }

  /** Writes bounds for the kernel; returns their number. */
  #inputBounds(bounds: Bounds): number {
    const given = BOUNDS.filter((name) => bounds[name] !== undefined).map((name) => ({
      name,
      text: String(bounds[name]),
      moment: toMoment(bounds[name]!),
    }));
    const room = given.reduce((sum, { text }) => sum + BOUND + text.length * 3, 16);
    let at = this.#kernel.reserve(Buffers.input, room);
    const { view, bytes } = this.#kernel;
    let textAt = at + given.length * BOUND;
    for (const { name, text, moment } of given) {
      const length = bytes.write(text, textAt);
      view.setUint32(at, Comparison[name], true);
      view.setUint32(at + 4, textAt, true);
      view.setUint32(at + 8, length, true);
      view.setFloat64(at + 16, moment ?? Number.NaN, true);
      textAt += length;
      at += BOUND;
    }
    return given.length;
  }
}

/** The interval of times within bounds, both ends included. */
function closedInterval(bounds: Bounds): [low: number, high: number] {
  let [low, high] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (const name of BOUNDS) {
    if (bounds[name] === undefined) continue;
    const moment = toMoment(bounds[name]);
    if (moment === undefined)
      throw new RangeError(`a time is compared with a Unix time or an ISO 8601 date, got "${bounds[name]}"`);
    if (name === 'gte' || name === 'gt') low = Math.max(low, name === 'gt' ? nextUp(moment) : moment);
    else high = Math.min(high, name === 'lt' ? -nextUp(-moment) : moment);
  }
  return [low, high];
}

/** The least number above another number. */
function nextUp(number: number): number {
  if (number === Number.POSITIVE_INFINITY) return Number.NaN;
  const numbers = new Float64Array([number + 0]);
  const bits = new BigInt64Array(numbers.buffer);
  bits[0]! += number < 0 ? -1n : 1n;
  return numbers[0]!;
}

/** Names are compared in lower case. */
function inLowerCase(condition: Condition): Condition {
  const lower = (value: RangeValue): RangeValue => (typeof value === 'string' ? value.toLowerCase() : value);
  switch (condition.kind) {
    case 'exists':
      return condition;
    case 'prefix':
      return { ...condition, prefix: condition.prefix.toLowerCase() };
    case 'range':
      return {
        ...condition,
        bounds: Object.fromEntries(Object.entries(condition.bounds).map(([name, bound]) => [name, lower(bound)])),
      };
    // Compared as texts, numbers included.
    case 'match':
      return { ...condition, values: condition.values.map((value) => String(value).toLowerCase()) };
  }
}

/** Number of conditions. */
export function conditionsIn(filter: Filter): number {
  if ('parts' in filter) return filter.parts.reduce((sum, part) => sum + conditionsIn(part), 0);
  return filter.kind === 'not' ? conditionsIn(filter.part) : 1;
}

/** Longer texts may be sorted by only a part of them. */
const SHORT = 256;
/** Sorts after every text with the same beginning: UTF-8 never contains this byte. */
const BEHIND = 0xff;

type Interval = readonly [from: number, to: number];

/**
 * The order of a column in which the values that satisfy a range or a prefix are contiguous; undefined if there is
 * none.
 */
function orderFor(column: number, condition: Condition): number | undefined {
  if (condition.kind !== 'range' && condition.kind !== 'prefix') return undefined;
  const isKey = column >= Column.keys;
  // The part of an identity after the `|` is the language, which no prefix tests.
  if (condition.kind === 'prefix')
    return isKey ? 1 : column === Column.identity && condition.prefix.includes('|') ? undefined : 0;
  const bounds = BOUNDS.filter((name) => condition.bounds[name] !== undefined).map((name) => condition.bounds[name]!);
  const moments = bounds.map((bound) => toMoment(bound));
  if (bounds.some((bound) => String(bound).length >= SHORT)) return undefined;
  if (moments.every((moment) => moment === undefined)) return isKey || column === Column.identity ? 1 : 0;
  const sortable = moments.every((moment) => moment !== undefined && Math.abs(moment) < Number.MAX_VALUE);
  return isKey && sortable ? 0 : undefined;
}

/** The interval of the matching values in that order, which must be ready. */
function intervalOf(kernel: ColumnsKernel, column: number, order: number, condition: Condition): Interval {
  if (condition.kind === 'prefix') return prefixInterval(kernel, column, order, condition.prefix);
  if (condition.kind !== 'range') throw new Error(`a condition of kind ${condition.kind} has no interval`);
  const bounds = BOUNDS.filter((name) => condition.bounds[name] !== undefined).map((name) => ({
    name,
    value: condition.bounds[name]!,
  }));
  const byText = (name: BoundName, value: string | number): number => {
    const length = kernel.inputText(String(value));
    return kernel.call.placeOf(column, order, Number.NaN, length, includes(name));
  };
  const byMoment = (name: BoundName, value: string | number): number =>
    kernel.call.placeOf(column, order, toMoment(value)!, 0, includes(name));
  const narrowed = (interval: Interval, place: (name: BoundName, value: string | number) => number): Interval => {
    let [from, to] = interval;
    for (const { name, value } of bounds) {
      if (name === 'gte' || name === 'gt') from = Math.max(from, place(name, value));
      else to = Math.min(to, place(name, value));
    }
    return [from, to];
  };
  if (column < Column.keys || order === 1) return narrowed([0, kernel.call.sortedEnd(column, order)], byText);
  // Numbers and dates are before texts, for which no comparison with a number or a date holds.
  return narrowed([0, kernel.call.placeOf(column, order, Number.NaN, 0, 0)], byMoment);
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
