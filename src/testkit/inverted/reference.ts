// The index as the decisions define it, with maps and loops: slow and obvious. Tests compare the engine with it.
import { DEFAULT_B, DEFAULT_K1, SATURATION, type ScoringAlgorithm, SLOPE } from '../../search/inverted/algorithm.ts';
import { type FieldText, VALUE_GAP } from '../../search/inverted/document-text.ts';
import { type Field, SHARED_FIELD } from '../../search/inverted/fields.ts';
import { tokenize } from '../../text/tokenize.ts';

/** Weight of fields with names for `tfidf`, unless as the shared field. */
export const NAMED_WEIGHT = 1.5;

/** Like `Query`, with words in place of the numbers of forms. */
export type WordQuery =
  | { readonly kind: 'term'; readonly words: readonly Word[]; readonly weight?: number; readonly classes?: number }
  | { readonly kind: 'phrase'; readonly words: readonly { readonly words: readonly Word[]; readonly offset: number }[];
    readonly slop?: number; readonly weight?: number; readonly classes?: number }
  | { readonly kind: 'and' | 'or' | 'best'; readonly of: readonly WordQuery[] }
  | { readonly kind: 'some'; readonly of: readonly WordQuery[]; readonly least: number }
  | { readonly kind: 'not'; readonly of: WordQuery }
  | { readonly kind: 'all'; readonly classes?: number }
  | { readonly kind: 'none' }
  /** The matches of another query among documents of some classes. */
  | { readonly kind: 'within'; readonly of: WordQuery; readonly classes: number };

export interface Word {
  readonly form: string;
  readonly weight?: number;
}

interface Occurrence {
  readonly field: Field;
  readonly form: string;
  readonly position: number;
}

/** Scores of the matching documents, by ordinal. */
export type Scores = ReadonlyMap<number, number>;

export class ReferenceIndex {
  readonly #documents = new Map<number, readonly Occurrence[]>();
  readonly #classes = new Map<number, number>();
  /** Current averages, by the set of fields over which they are computed. */
  readonly #averages = new Map<string, number>();

  add(ord: number, fields: readonly FieldText[], documentClass = 0): void {
    const occurrences: Occurrence[] = [];
    const next = new Map<Field, number>();
    for (const value of fields) {
      const start = next.get(value.field) ?? 0;
      const tokens = 'tokens' in value ? value.tokens : tokenize(value.text);
      for (const { form, position } of tokens)
        occurrences.push({ field: value.field, form, position: start + position });
      if (tokens.length > 0) next.set(value.field, start + tokens.at(-1)!.position + 1 + VALUE_GAP);
    }
    this.#documents.set(ord, occurrences);
    this.#classes.set(ord, documentClass);
    this.#averages.clear();
  }

  remove(ord: number): boolean {
    this.#averages.clear();
    return this.#documents.delete(ord);
  }

  get size(): number {
    return this.#documents.size;
  }

  /** Documents by form, for forms that occur in a document. */
  documentsByForm(field?: Field): Map<string, number> {
    const counts = new Map<string, number>();
    for (const occurrences of this.#documents.values()) {
      const forms = new Set(
        occurrences.filter((o) => field === undefined || o.field === field).map(({ form }) => form),
      );
      for (const form of forms) counts.set(form, (counts.get(form) ?? 0) + 1);
    }
    return counts;
  }

  search(query: WordQuery, algorithm: ScoringAlgorithm): Scores {
    switch (query.kind) {
      case 'term':
        return this.#within(this.#term(query.words, query.weight ?? 1, algorithm), query.classes);
      case 'phrase':
        return this.#within(this.#phrase(query, algorithm), query.classes);
      case 'or':
        return this.#either(query.of, algorithm, (a, b) => a + b);
      case 'best':
        return this.#either(query.of, algorithm, Math.max);
      case 'and':
        return this.#and(query.of, algorithm);
      case 'some':
        return this.#some(query.of, query.least, algorithm);
      case 'not':
        return without(this.#all(), this.search(query.of, algorithm));
      case 'all':
        return this.#within(this.#all(), query.classes);
      case 'none':
        return new Map();
      case 'within':
        return this.#within(this.search(query.of, algorithm), query.classes);
    }
  }

  /** Documents of some classes, with the scores that they have among all documents. */
  #within(scores: Scores, classes = ~0): Scores {
    return new Map([...scores].filter(([ord]) => (classes >>> this.#classes.get(ord)!) & 1));
  }

  #all(): Scores {
    return new Map([...this.#documents.keys()].map((ord) => [ord, 0]));
  }

  #either(operands: readonly WordQuery[], algorithm: ScoringAlgorithm, join: (a: number, b: number) => number): Scores {
    const result = new Map<number, number>();
    for (const operand of operands) {
      for (const [ord, score] of this.search(operand, algorithm)) result.set(ord, join(result.get(ord) ?? 0, score));
    }
    return result;
  }

  #some(operands: readonly WordQuery[], least: number, algorithm: ScoringAlgorithm): Scores {
    const results = operands.map((operand) => this.search(operand, algorithm));
    return new Map(
      [...this.#either(operands, algorithm, (a, b) => a + b)].filter(([ord]) =>
        results.filter((result) => result.has(ord)).length >= least
      ),
    );
  }

  #and(operands: readonly WordQuery[], algorithm: ScoringAlgorithm): Scores {
    const results = operands.map((operand) => this.search(operand, algorithm));
    return new Map(
      [...this.#all().keys()].filter((ord) => results.every((result) => result.has(ord))).map((
        ord,
      ) => [ord, results.reduce((sum, result) => sum + result.get(ord)!, 0)]),
    );
  }

  /**
   * The features of a document for reranking, as `asm/inverted/reranking.ts` defines them, computed from all pairs of
   * positions.
   */
  features(ord: number, words: readonly ReferenceWord[]): number[] {
    const occurrences = this.#documents.get(ord)!;
    const places = words.map(({ forms }) => occurrences.filter(({ form }) => forms.includes(form)));
    const exact = words.map(({ exact: form }) => occurrences.filter((occurrence) => occurrence.form === form));
    const inField = (found: readonly (readonly Occurrence[])[], field: Field) =>
      found.map((list) => list.filter((occurrence) => occurrence.field === field).length);
    const shareOf = (counts: readonly number[]) =>
      words.reduce((sum, { share }, i) => sum + (counts[i]! > 0 ? share : 0), 0);
    const whole = (found: readonly (readonly Occurrence[])[], field: Field) => {
      const counts = inField(found, field);
      const tokens = counts.reduce((sum, count) => sum + count, 0);
      return tokens === 0 ? 0 : shareOf(counts) * Math.min(1, tokens / lengthIn(occurrences, [field]));
    };
    const several = words.length > 1;
    const average = Math.max(1, this.#average('all', undefined, () => true));
    const k = 1.2 * (0.25 + (0.75 * lengthIn(occurrences, undefined)) / average);
    return [several ? shareOf(places.map(({ length }) => length)) : 0,
      overPairs(words, (i) => nearest(places[i - 1]!, places[i]!)),
      overPairs(words, (i) => inOrder(places[i - 1]!, places[i]!, words[i]!.offset - words[i - 1]!.offset)),
      shareOf(inField(places, 1)), whole(places, 1), whole(exact, 1), whole(exact, 6), named(words, exact),
      several
        ? words.reduce((sum, { share }, i) => sum + (share * places[i]!.length) / (places[i]!.length + k), 0)
        : 0];
  }

  #term(words: readonly Word[], weight: number, algorithm: ScoringAlgorithm): Scores {
    const weights = new Map(words.map((word) => [word.form, word.weight ?? 1]));
    const frequencies = new Map<number, number>();
    for (const [ord, occurrences] of this.#documents) {
      const x = algorithm.kind === 'tfidf'
        ? this.#byField(occurrences, weights, algorithm.weights)
        : this.#frequency(occurrences, weights, algorithm);
      if (x > 0) frequencies.set(ord, x);
    }
    return new Map(
      [...frequencies].map((
        [ord, x],
      ) => [ord, weight * this.#score(x, this.#documents.get(ord)!, frequencies.size, algorithm)]),
    );
  }

  /** How often the words occur in a document, in the fields that count. */
  #frequency(occurrences: readonly Occurrence[], weights: ReadonlyMap<string, number>,
    algorithm: Exclude<ScoringAlgorithm, { kind: 'tfidf' }>): number
  {
    let x = 0;
    for (const { field, form } of occurrences) {
      const weight = weights.get(form) ?? 0;
      x += algorithm.kind === 'bm25f'
        ? weight * this.#fieldFactor(field, occurrences, algorithm)
        : counts(field, algorithm)
        ? weight
        : 0;
    }
    return x;
  }

  /**
   * Sum over fields of w_f * (1 + ln tf_f) / (1 - s + s * len_f / avglen_f), decision D-81. All fields with names and
   * the shared field form one field; of these, the named fields count unless the shared field does.
   */
  #byField(occurrences: readonly Occurrence[], weights: ReadonlyMap<string, number>,
    fieldWeights: ReadonlyMap<Field, number> | undefined): number
  {
    let y = 0;
    const byName = fieldWeights !== undefined && !fieldWeights.has(SHARED_FIELD);
    const weightOf = (
      slot: number,
    ): number => (fieldWeights === undefined
      ? 1
      : fieldWeights.get(slot) ?? (slot === SHARED_FIELD ? NAMED_WEIGHT : 0));
    for (const slot of [...PLAIN, SHARED_FIELD]) {
      const there = occurrences.filter(({ field }) => slotOf(field) === slot);
      const tf = there.reduce(
        (sum, { form, field }) =>
          sum + (slot === SHARED_FIELD && byName && !fieldWeights.has(field) ? 0 : weights.get(form) ?? 0),
        0,
      );
      if (tf === 0) continue;
      const average = slot === SHARED_FIELD
        ? this.#averageOfFurther()
        : this.#average(`with ${slot}`, [slot], (length) => length > 0);
      y += weightOf(slot) * (tf < 1 ? tf : 1 + Math.log(tf)) / (1 - SLOPE + (SLOPE * there.length) / average);
    }
    return y * (SATURATION + 1) / (y + SATURATION);
  }

  #averageOfFurther(): number {
    const all = [...this.#documents.values()];
    return all.reduce(
      (sum, occurrences) => sum + occurrences.filter(({ field }) => slotOf(field) === SHARED_FIELD).length,
      0,
    ) / all.length;
  }

  /** w_f / (1 - b + b * len_f / avglen_f), decision D-83. */
  #fieldFactor(field: Field, occurrences: readonly Occurrence[],
    { weights, b = DEFAULT_B }: { weights: ReadonlyMap<Field, number>; b?: number }): number
  {
    const average = this.#average(`with ${field}`, [field], (length) => length > 0);
    return (weights.get(field) ?? 0) / (1 - b + (b * lengthIn(occurrences, [field])) / average);
  }

  #score(x: number, occurrences: readonly Occurrence[], df: number, algorithm: ScoringAlgorithm): number {
    const n = this.#documents.size;
    if (algorithm.kind === 'tfidf') return x * Math.log(1 + n / df);
    const idf = Math.log((n - df + 0.5) / (df + 0.5) + 1);
    if (algorithm.kind === 'bm25f') return (idf * x) / ((algorithm.k1 ?? DEFAULT_K1) + x);
    const { fields } = algorithm;
    const length = lengthIn(occurrences, fields);
    const { k1 = DEFAULT_K1, b = DEFAULT_B } = algorithm;
    const average = this.#average(fields?.join() ?? 'all', fields, () => true);
    return (idf * x * (k1 + 1)) / (x + k1 * (1 - b + (b * length) / average));
  }

  /** Average length over fields, of the documents that count. */
  #average(name: string, fields: readonly Field[] | undefined, counted: (length: number) => boolean): number {
    const known = this.#averages.get(name);
    if (known !== undefined) return known;
    const lengths = [...this.#documents.values()].map((document) => lengthIn(document, fields)).filter(counted);
    const average = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
    this.#averages.set(name, average);
    return average;
  }

  #phrase({ words, slop, weight }: Extract<WordQuery, { kind: 'phrase' }>, algorithm: ScoringAlgorithm): Scores {
    if (words.length === 0) return new Map();
    const terms = this.#and(words.map((word) => ({ kind: 'term', words: word.words, weight: weight ?? 1 })), algorithm);
    const result = new Map<number, number>();
    for (const [ord, score] of terms) {
      const byField = Map.groupBy(
        this.#documents.get(ord)!.filter(({ field }) => words.length === 1 || !DERIVED.has(field)),
        ({ field }) => field,
      );
      const extra = Math.min(...[...byField.values()].map((occurrences) => leastExtra(occurrences, words, slop)));
      if (extra <= (slop ?? 0)) result.set(ord, score / (1 + extra));
    }
    return result;
  }
}

/** A word of a query that is reranked; the shares add up to 1. */
export interface ReferenceWord {
  readonly forms: readonly string[];
  readonly exact: string;
  readonly share: number;
  readonly offset: number;
  readonly glued: boolean;
  readonly identifier: boolean;
}

/** The mean over adjacent words, weighted by their shares. */
function overPairs(words: readonly ReferenceWord[], value: (second: number) => number): number {
  const shares = words.slice(1).map(({ share }, i) => share + words[i]!.share);
  const all = shares.reduce((sum, share) => sum + share, 0);
  return all === 0 ? 0 : shares.reduce((sum, share, i) => sum + share * value(i + 1), 0) / all;
}

/**
 * 1 / the smallest distance of occurrences in one field, in either direction; occurrences at the same position do not
 * count.
 */
function nearest(first: readonly Occurrence[], second: readonly Occurrence[]): number {
  const distances = first.flatMap((a) =>
    second.filter((b) => b.field === a.field && b.position !== a.position).map((b) => Math.abs(b.position - a.position))
  );
  return distances.length === 0 ? 0 : 1 / Math.min(...distances);
}

/**
 * 1 / (1 + the deviation of the distance in order from the wanted one), for each first word and the next occurrence of
 * the second word.
 */
function inOrder(first: readonly Occurrence[], second: readonly Occurrence[], wanted: number): number {
  const differences = first.flatMap((a) => {
    const behind = second.filter((b) => b.field === a.field && b.position > a.position).map((b) =>
      b.position - a.position
    );
    return behind.length === 0 ? [] : [Math.abs(Math.min(...behind) - wanted)];
  });
  return differences.length === 0 ? 0 : 1 / (1 + Math.min(...differences));
}

function named(words: readonly ReferenceWord[], exact: readonly (readonly Occurrence[])[]): number {
  let sum = 0;
  for (let start = 0, end: number; start < words.length; start = end + 1) {
    end = start;
    while (end + 1 < words.length && words[end]!.glued) end++;
    const run = words.slice(start, end + 1);
    const isThere = exact[start]!.some(({ field, position }) =>
      (field === 1 || field === 6)
      && run.every((_, i) =>
        exact[start + i]!.some((other) => other.field === field && other.position === position + i)
      )
    );
    if (words[start]!.identifier && isThere) sum += run.reduce((all, { share }) => all + share, 0);
  }
  return sum;
}

const PLAIN = [0, 1, 2, 3, 4, 5, 6];
/** The text of these fields is repeated in other fields. */
const DERIVED: ReadonlySet<Field> = new Set([5, 6]);

function slotOf(field: Field): number {
  return typeof field === 'string' ? SHARED_FIELD : field;
}

function counts(field: Field, algorithm: { fields?: readonly Field[] }): boolean {
  return algorithm.fields === undefined ? !DERIVED.has(field) : algorithm.fields.includes(field);
}

function lengthIn(occurrences: readonly Occurrence[], fields: readonly Field[] | undefined): number {
  return occurrences.filter(({ field }) => (fields === undefined ? !DERIVED.has(field) : fields.includes(field)))
    .length;
}

function without(all: Scores, some: Scores): Scores {
  return new Map([...all].filter(([ord]) => !some.has(ord)));
}

/** The excess of a field's best window for a phrase over the phrase's own span; infinite if there is no window. */
function leastExtra(occurrences: readonly Occurrence[], words: readonly { words: readonly Word[]; offset: number }[],
  slop: number | undefined): number
{
  const places = words.map((word) =>
    occurrences.filter(({ form }) => word.words.some((w) => w.form === form)).map(({ position }) => position)
  );
  const first = words[0]!.offset;
  if (slop === undefined) {
    return places[0]!.some((start) => words.every(({ offset }, i) => places[i]!.includes(start + offset - first)))
      ? 0
      : Infinity;
  }
  const span = words.at(-1)!.offset - first;
  const ends = places.flat();
  let best = Infinity;
  for (const from of ends) {
    for (const to of ends) {
      if (to >= from && to - from - span < best && holdsAll(words, places, from, to))
        best = Math.max(0, to - from - span);
    }
  }
  return best;
}

/** Whether a window contains each word as often as the phrase does; words with the same forms are counted together. */
function holdsAll(words: readonly { words: readonly Word[] }[], places: readonly (readonly number[])[], from: number,
  to: number): boolean
{
  const name = (i: number) => words[i]!.words.map(({ form }) => form).sort().join(' ');
  return words.every((_, i) =>
    places[i]!.filter((position) => position >= from && position <= to).length >=
      words.filter((__, j) => name(j) === name(i)).length
  );
}
