import { Buffers, Column, type ColumnsKernel, Comparison, LEVELS, Time } from '../../kernels/columns.ts';
import { BOUNDS, columnOf, toNumber, toSeconds, type Bounds, type Condition, type Filter, type RangeValue } from '../filter/index.ts';

const BOUND = 24;

/** Evaluates filters to levels of the kernel: a bit for each slot whose document passes. What conditions mean is defined by `testOf`. */
export class Evaluation {
  readonly #kernel: ColumnsKernel;
  readonly #columnOf: (key: string) => number | undefined;

  constructor(kernel: ColumnsKernel, columnOf: (key: string) => number | undefined) {
    this.#kernel = kernel;
    this.#columnOf = columnOf;
  }

  /** Throws a RangeError on a filter that nests too deeply, and on a time that is compared with what is no moment. */
  run(filter: Filter, level: number): void {
    if (level >= LEVELS - 8) throw new RangeError('the filter nests too deeply');
    const { call } = this.#kernel;
    switch (filter.kind) {
      case 'and':
        if (filter.parts.length === 0) call.fillLevel(level);
        for (const [i, part] of filter.parts.entries()) this.#combine(part, level, i === 0 ? 'set' : 'and');
        return;
      case 'or':
        if (filter.parts.length === 0) call.clearLevel(level);
        for (const [i, part] of filter.parts.entries()) this.#combine(part, level, i === 0 ? 'set' : 'or');
        return;
      case 'not':
        this.run(filter.part, level);
        return call.invertLevel(level);
      default:
        call.clearLevel(level);
        this.#unite(filter, level);
    }
  }

  #combine(part: Filter, level: number, how: 'set' | 'and' | 'or'): void {
    const { call } = this.#kernel;
    if (how === 'set') return this.run(part, level);
    if (how === 'or' && !('parts' in part) && part.kind !== 'not') return this.#unite(part, level);
    const negated = how === 'and' && part.kind === 'not';
    this.run(negated ? part.part : part, level + 1);
    if (negated) call.subtractLevels(level, level + 1);
    else if (how === 'and') call.intersectLevels(level, level + 1);
    else call.uniteLevels(level, level + 1);
  }

  /** Adds the documents of a condition to a level. */
  #unite(condition: Condition, level: number): void {
    const field = columnOf(condition.field);
    if (field.kind === 'time') return this.#uniteTimes(condition, Time[field.name], level);
    if (field.kind === 'meta') {
      const column = this.#columnOf(field.key);
      if (column !== undefined) this.#uniteValues(condition, column, level);
      return;
    }
    this.#uniteValues(inLowerCase(condition), field.name === 'key' ? Column.identity : Column.lang, level);
  }

  #uniteTimes(condition: Condition, field: number, level: number): void {
    const { call } = this.#kernel;
    switch (condition.kind) {
      case 'exists': return call.uniteTimes(level, field, 0);
      case 'range': return call.uniteTimes(level, field, this.#inputBounds(condition.bounds, true));
      case 'match':
        for (const value of condition.values) call.uniteTimes(level, field, this.#inputBounds({ gte: value, lte: value }, true));
        return;
      case 'prefix': throw new RangeError(`${condition.field} is a time, which is not compared with the beginning of a text`);
    }
  }

  #uniteValues(condition: Condition, column: number, level: number): void {
    const { call } = this.#kernel;
    if (condition.kind === 'exists') return call.uniteExisting(level, column);
    if (condition.kind === 'match') return this.#uniteMatches(condition.values, column, level);
    call.openVerdicts(column);
    if (condition.kind === 'prefix') call.judgePrefix(column, 1, call.valueEnd(column), this.#kernel.inputText(condition.prefix));
    else call.judgeRange(column, 1, call.valueEnd(column), this.#inputBounds(condition.bounds, false));
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

  /** Writes bounds for the kernel; how many they are. */
  #inputBounds(bounds: Bounds, moments: boolean): number {
    const given = BOUNDS.filter((name) => bounds[name] !== undefined).map((name) => ({ name, text: String(bounds[name]), moment: momentOf(bounds[name]!) }));
    const wrong = moments ? given.find(({ moment }) => moment === undefined) : undefined;
    if (wrong !== undefined) throw new RangeError(`a time is compared with a Unix time or an ISO 8601 date, got "${wrong.text}"`);
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

function momentOf(value: RangeValue): number | undefined {
  return toNumber(value) ?? toSeconds(value);
}

/** Names are compared in lower case. */
function inLowerCase(condition: Condition): Condition {
  const lower = (value: RangeValue): RangeValue => (typeof value === 'string' ? value.toLowerCase() : value);
  switch (condition.kind) {
    case 'exists': return condition;
    case 'prefix': return { ...condition, prefix: condition.prefix.toLowerCase() };
    case 'range': return { ...condition, bounds: Object.fromEntries(Object.entries(condition.bounds).map(([name, bound]) => [name, lower(bound)])) };
    // As texts, numbers included.
    case 'match': return { ...condition, values: condition.values.map((value) => String(value).toLowerCase()) };
  }
}
