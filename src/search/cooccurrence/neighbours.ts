import { GAP, MAX_TERMS, type RatedNeighbours } from '../../kernels/cooccurrence.ts';

/** A neighbour of a term. */
interface Neighbour {
  /** One of its forms, by which an index finds the term. */
  readonly form: string;
  /** Its PPMI divided by the largest PPMI that the term has with any other: above 0, at most 1. */
  readonly weight: number;
}

/** A trained model as arrays that can be transferred between threads. Terms are in the order of their UTF-16. */
export interface NeighbourData {
  readonly terms: Strings;
  /** A form of each term. */
  readonly forms: Strings;
  /** Offsets of each term's neighbours; the last entry is the end of the last term's neighbours. */
  readonly starts: Uint32Array;
  /** Indexes of the neighbours among the terms, best first. */
  readonly neighbours: Uint32Array;
  readonly weights: Float32Array;
}

/** Many strings in one buffer: a million separate strings would block the event loop. */
interface Strings {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** End offset of each string. */
  readonly ends: Uint32Array;
}

/** The best neighbours of each term of a collection. */
export class Neighbours {
  readonly #data: NeighbourData;

  constructor(data: NeighbourData) {
    this.#data = data;
  }

  /** Terms that have neighbours. */
  get size(): number {
    return this.#data.terms.ends.length;
  }

  /** Memory in bytes. */
  get bytes(): number {
    return buffersOf(this.#data).reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  /** The neighbours of a term, best first, at most five; empty for an unknown term. */
  of(term: string): Neighbour[] {
    const { forms, starts, neighbours, weights } = this.#data;
    const place = this.#placeOf(term);
    if (place === undefined) return [];
    const found: Neighbour[] = [];
    for (let i = starts[place]!; i < starts[place + 1]!; i++)
      found.push({ form: stringAt(forms, neighbours[i]!), weight: weights[i]! });
    return found;
  }

  #placeOf(term: string): number | undefined {
    let [from, to] = [0, this.size];
    while (from < to) {
      const middle = (from + to) >>> 1;
      const found = stringAt(this.#data.terms, middle);
      if (found === term) return middle;
      if (found < term) from = middle + 1;
      else to = middle;
    }
    return undefined;
  }
}

/** The buffers of the model, to be transferred rather than copied. */
export function buffersOf({ terms, forms, starts, neighbours, weights }: NeighbourData): ArrayBuffer[] {
  return [terms.bytes, terms.ends, forms.bytes, forms.ends, starts, neighbours, weights].map(({ buffer }) =>
    buffer as ArrayBuffer
  );
}

interface TermEntry {
  readonly number: number;
  readonly term: string;
  readonly form: string;
  readonly count: number;
}

/**
 * Packs the neighbours of all terms into arrays. Calls `neighboursOf` twice per term, because a million lists would not
 * fit into memory.
 */
export function packNeighbours(vocabulary: Vocabulary, neighboursOf: (term: number) => RatedNeighbours): NeighbourData {
  const entries = entriesOf(vocabulary, neighboursOf);
  const places = new Uint32Array(vocabulary.end);
  const starts = new Uint32Array(entries.length + 1);
  for (const [i, { number, count }] of entries.entries()) {
    places[number] = i;
    starts[i + 1] = starts[i]! + count;
  }
  const neighbours = new Uint32Array(starts[entries.length]!);
  const weights = new Float32Array(neighbours.length);
  for (const [i, { number }] of entries.entries()) {
    const { best, largest } = neighboursOf(number);
    // Being neighbours is mutual, so each neighbour has an index of its own.
    for (const [j, { term, ratio }] of best.entries()) {
      neighbours[starts[i]! + j] = places[term]!;
      weights[starts[i]! + j] = Math.log2(ratio) / Math.log2(largest);
    }
  }
  return {
    terms: joined(entries.map(({ term }) => term)),
    forms: joined(entries.map(({ form }) => form)),
    starts,
    neighbours,
    weights,
  };
}

/** The terms that have neighbours, in their order. */
function entriesOf(vocabulary: Vocabulary, neighboursOf: (term: number) => RatedNeighbours): TermEntry[] {
  const entries: TermEntry[] = [];
  for (let number = 1; number < vocabulary.end; number++) {
    const entry = vocabulary.entry(number);
    const count = entry === undefined ? 0 : neighboursOf(number).best.length;
    if (count > 0) entries.push({ ...entry!, number, count });
  }
  return entries.sort((a, b) => (a.term < b.term ? -1 : 1));
}

function joined(strings: readonly string[]): Strings {
  const ends = new Uint32Array(strings.length);
  const bytes = new Uint8Array(strings.reduce((sum, string) => sum + Buffer.byteLength(string), 0));
  const encoder = new TextEncoder();
  let end = 0;
  for (const [i, string] of strings.entries()) ends[i] = end += encoder.encodeInto(string, bytes.subarray(end)).written;
  return { bytes, ends };
}

function stringAt({ bytes, ends }: Strings, place: number): string {
  const start = place === 0 ? 0 : ends[place - 1]!;
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, ends[place]! - start).toString();
}

/** Capacity of the cache of forms and their terms; other forms are looked up again. */
const MAX_CACHED_FORMS = 100_000;

/** Assigns numbers to the terms of texts; the number of terms at any time is limited. */
export class Vocabulary {
  readonly #termOf: (form: string) => string | undefined;
  readonly #maxTerms: number;
  readonly #numbers = new Map<string, number>();
  /** By number: a term, and the form from which it was made; undefined where the number is free. */
  readonly #entries: ({ readonly term: string; readonly form: string } | undefined)[] = [undefined];
  readonly #free: number[] = [];
  readonly #known = new Map<string, number>();

  /** `maxTerms`: the largest number of terms, plus 1. */
  constructor(termOf: (form: string) => string | undefined, maxTerms = MAX_TERMS) {
    this.#termOf = termOf;
    this.#maxTerms = maxTerms;
  }

  /** One more than the largest number. */
  get end(): number {
    return this.#entries.length;
  }

  get size(): number {
    return this.#numbers.size;
  }

  /** The largest number of terms. */
  get room(): number {
    return this.#maxTerms - 1;
  }

  /** The number of a form's term; `GAP` for a stop word, and for a new term when the vocabulary is full. */
  numberOf(form: string): number {
    const known = this.#known.get(form);
    if (known !== undefined) return known;
    const number = this.#find(form);
    if (this.#known.size >= MAX_CACHED_FORMS) this.#known.clear();
    this.#known.set(form, number);
    return number;
  }

  entry(number: number): { readonly term: string; readonly form: string } | undefined {
    return this.#entries[number];
  }

  /** Frees the terms of some numbers; the numbers can be assigned again. */
  free(numbers: readonly number[]): void {
    this.#known.clear();
    for (const number of numbers) {
      const entry = this.#entries[number];
      if (entry === undefined) continue;
      this.#numbers.delete(entry.term);
      this.#entries[number] = undefined;
      this.#free.push(number);
    }
  }

  #find(form: string): number {
    const term = this.#termOf(form);
    if (term === undefined) return GAP;
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    if (this.size >= this.room) return GAP;
    const number = this.#free.pop() ?? this.#entries.length;
    this.#entries[number] = { term, form };
    this.#numbers.set(term, number);
    return number;
  }
}
