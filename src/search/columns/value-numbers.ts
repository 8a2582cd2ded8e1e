import { compareTexts } from '../filter/index.ts';
import type { Facet, NumberedTally, ValueCount } from './contract.ts';

/** Values of a field that are numbered; those of a field with more are added up otherwise. */
const MOST_VALUES = 8192;

/** The numbers that the values of one part have in all parts; 0 for one that has none yet. */
interface PartNumbers {
  readonly numbering: number;
  numbers: Uint32Array;
}

/**
 * Numbers for the values of a field that are the same in all parts, so that counts are added up without reading texts.
 * A value gets its number when documents with it are first counted.
 */
export class ValueNumbers {
  readonly #texts = [''];
  readonly #numberOf = new Map<string, number>();
  readonly #parts: (PartNumbers | undefined)[] = [];
  #isFull = false;

  /** The best values of several parts, from the tally of each; undefined for a field with too many values. */
  best(tallies: readonly NumberedTally[], { orderBy, limit }: Pick<Facet, 'orderBy' | 'limit'>): ValueCount[]
    | undefined
  {
    const sums = new Uint32Array(MOST_VALUES + 1);
    for (const [part, tally] of tallies.entries())
      if (this.#isFull || !this.#add(part, tally, sums)) return this.#end();
    let found: number[] = [];
    for (let number = 1; number < this.#texts.length; number++) if (sums[number]! > 0) found.push(number);
    if (orderBy === 'count' && limit > 0 && found.length > limit) {
      const least = Uint32Array.from(found, (number) => sums[number]!).sort()[found.length - limit]!;
      found = found.filter((number) => sums[number]! >= least);
    }
    const counts = found.map((number) => ({ value: this.#texts[number]!, count: sums[number]! }));
    counts.sort((a, b) => (orderBy === 'count' ? b.count - a.count : 0) || compareTexts(a.value, b.value));
    return limit === 0 ? counts : counts.slice(0, limit);
  }

  #end(): undefined {
    this.#isFull = true;
    this.#texts.length = 1;
    this.#numberOf.clear();
    this.#parts.length = 0;
  }

  #add(part: number, tally: NumberedTally, sums: Uint32Array): boolean {
    const { numbers, counts } = tally;
    if (numbers.length > MOST_VALUES) return false;
    const known = this.#numbersOf(part, tally);
    for (let i = 0; i < numbers.length; i++) {
      const own = numbers[i]!;
      let number = known.numbers[own] ?? 0;
      if (number === 0) {
        number = this.#number(tally.textOf(own));
        if (number > MOST_VALUES) return false;
        if (own >= known.numbers.length) known.numbers = grown(known.numbers, own + 1);
        known.numbers[own] = number;
      }
      sums[number]! += counts[i]!;
    }
    return true;
  }

  #numbersOf(part: number, { numbering }: NumberedTally): PartNumbers {
    const known = this.#parts[part];
    if (known?.numbering === numbering) return known;
    return this.#parts[part] = { numbering, numbers: new Uint32Array() };
  }

  #number(text: string): number {
    let number = this.#numberOf.get(text);
    if (number === undefined) {
      number = this.#texts.length;
      if (number > MOST_VALUES) return number;
      this.#texts.push(text);
      this.#numberOf.set(text, number);
    }
    return number;
  }
}

function grown(numbers: Uint32Array, length: number): Uint32Array {
  const longer = new Uint32Array(Math.max(length, 2 * numbers.length));
  longer.set(numbers);
  return longer;
}
