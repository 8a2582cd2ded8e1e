import type { PartLink } from '../parts/index.ts';
import type { ScoringAlgorithm } from './algorithm.ts';
import type { Hit, IndexStats, SearchOptions, SearchResult } from './contract.ts';
import type { Field } from './fields.ts';
import { FollowedForms } from './followed-forms.ts';
import type { FormWatcher } from './form-watchers.ts';
import type { IndexPart } from './index-part.ts';
import type { InvertedIndex } from './inverted-index.ts';
import type { PartAnswers, PartMethod, PartSummary, SentOptions } from './part-answers.ts';
import { type Query, simplify, type WeightedForm } from './query.ts';
import { formsBy, queryBy, type Renumber, rerankingsBy, wordsBy } from './renumbering.ts';
import type { Reranking, RerankStatistics, RerankWord } from './rerank.ts';
import { type Statistics, statisticsAmong } from './statistics.ts';

type Asked<M extends PartMethod> = Parameters<PartAnswers[M]> extends [InvertedIndex, ...infer Args] ? Args : never;
type Answered<M extends PartMethod> = ReturnType<PartAnswers[M]>;

/** Revisions of one instance are smaller. */
const REVISIONS = 2 ** 40;

/**
 * Stands for an `InvertedIndex` in another process, among the parts of a `PartitionedIndex`. Its forms have numbers of
 * its own; questions name them by their texts. What it is asked for that depends on no form of the part, it answers
 * without asking. Its methods throw `Unanswered` (src/search/parts).
 */
export class RemotePart implements IndexPart {
  readonly #link: PartLink;
  readonly #forms = new FollowedForms();

  constructor(link: PartLink) {
    this.#link = link;
  }

  #ask<M extends PartMethod>(method: M, ...args: Asked<M>): Answered<M> {
    return this.#link.known<Answered<M>>(method, ...args);
  }

  get #summary(): PartSummary {
    return this.#link.first<PartSummary>('summary' satisfies PartMethod, this.#forms.state);
  }

  follow(): boolean {
    return this.#forms.follow(this.#summary,
      (since, from) => this.#link.steady<Answered<'forms'>>('forms' satisfies PartMethod, since, from));
  }

  watch(watcher: FormWatcher): void {
    this.#forms.watch(watcher);
  }

  get formEnd(): number {
    return this.#forms.end;
  }

  hasForm(form: number): boolean {
    return this.#forms.has(form);
  }

  textOf(form: number): string {
    return this.#forms.text(form);
  }

  get size(): number {
    return this.#summary.size;
  }

  get classes(): number {
    return this.#summary.classes;
  }

  documentsByClass(): number[] {
    return [...this.#summary.documentsByClass];
  }

  get fieldNames(): readonly string[] {
    return this.#summary.fieldNames;
  }

  get version(): string {
    return this.#summary.version;
  }

  /** Also increases when another instance takes the place of the part. */
  get revision(): number {
    return this.#summary.revision + this.#forms.instances * REVISIONS;
  }

  stats(): IndexStats {
    return this.#summary.stats;
  }

  statistics(algorithm: ScoringAlgorithm): Statistics {
    return statisticsAmong(this.#summary.statistics, algorithm);
  }

  countForms(forms: ArrayLike<number>, field?: Field): Uint32Array {
    const places = Array.from({ length: forms.length }, (_, place) => place).filter((place) => forms[place] !== 0);
    const counts = new Uint32Array(forms.length);
    if (places.length === 0) return counts;
    const found = this.#ask('countForms', places.map((place) => this.textOf(forms[place]!)), field);
    for (const [i, place] of places.entries()) counts[place] = found[i]!;
    return counts;
  }

  documentsByField(forms: readonly number[]): ReadonlyMap<Field, number>[] {
    return forms.length === 0 ? [] : this.#ask('documentsByField', this.#textsOf(forms));
  }

  mayBeIn(forms: readonly number[], field: number): boolean[] {
    return forms.length === 0 ? [] : this.#ask('mayBeIn', this.#textsOf(forms), field);
  }

  haveAny(forms: readonly number[], ords: readonly number[]): boolean[] {
    if (forms.length === 0 || ords.length === 0) return ords.map(() => false);
    return this.#ask('haveAny', this.#textsOf(forms), [...ords]);
  }

  classesOf(ords: readonly number[]): (number | undefined)[] {
    return ords.length === 0 ? [] : this.#ask('classesOf', [...ords]);
  }

  lengthsOf(ords: readonly number[], field: number): number[] {
    return ords.length === 0 ? [] : this.#ask('lengthsOf', [...ords], field);
  }

  documentsOfTerms(algorithm: ScoringAlgorithm, statistics: Statistics,
    terms: readonly (readonly WeightedForm[])[]): number[]
  {
    if (terms.every((forms) => forms.length === 0)) return terms.map(() => 0);
    const { texts, placeOf } = this.#naming();
    const named = terms.map((forms) => formsBy(forms, placeOf));
    return this.#ask('documentsOfTerms', texts, algorithm, statistics, named);
  }

  postingsOf(words: readonly RerankWord[]): number[] {
    if (words.every(({ forms }) => forms.length === 0)) return words.map(() => 0);
    const { texts, placeOf } = this.#naming();
    const named = wordsBy(words, placeOf);
    return this.#ask('postingsOf', texts, named);
  }

  /** As that of an index, without `rerank`. */
  search(query: Query, { rerank: _, spare: __, ...options }: SearchOptions): SearchResult {
    const isEmpty = options.collect !== true && options.scoresOf === undefined &&
      simplify(query, this.classes).kind === 'none';
    if (isEmpty) return { hits: [], total: 0 };
    const { texts, placeOf } = this.#naming();
    const named = queryBy(query, placeOf);
    return this.#ask('search', texts, named, sent(options));
  }

  rerank(hits: readonly Hit[], rerankings: readonly Reranking[], wanted: number, given: RerankStatistics): Hit[] {
    const { texts, placeOf } = this.#naming();
    const named = rerankingsBy(rerankings, placeOf);
    return this.#ask('rerank', texts, hits, named, wanted, given);
  }

  #textsOf(forms: readonly number[]): string[] {
    return forms.map((form) => this.textOf(form));
  }

  /** Collects the texts of forms for a question; a form is the place of its text, from 1. */
  #naming(): { readonly texts: string[]; readonly placeOf: Renumber } {
    const texts: string[] = [];
    const places = new Map<number, number>();
    return {
      texts,
      placeOf: (form) => {
        let place = places.get(form);
        if (place === undefined) places.set(form, place = texts.push(this.textOf(form)));
        return place;
      },
    };
  }
}

/** Options that are not given are left out, so that equal searches are one question. */
function sent(options: SentOptions): SentOptions {
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as unknown as SentOptions;
}
