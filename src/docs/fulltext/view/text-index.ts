import type { QueryNode, TermNode } from '../../../text/query/index.ts';
import type { Steps } from '../../view/index.ts';
import type { Feedback, FeedbackRules, RelevantText } from './feedback.ts';
import type { OrdSet } from './ord-set.ts';

/**
 * The fields of a document that have a number in the index. Headings and the last segment of the key stand elsewhere as well, so
 * they count only for algorithms that weigh fields. Other metadata keys have a field each, by their name; should
 * a collection have very many of them, those that come late are `other` together.
 */
export const FIELDS = ['content', 'meta.title', 'meta.tags', 'meta.category', 'meta.description', 'headings', 'key', 'other'] as const;

/** Number of the field that is the body. */
export const CONTENT = 0;

/** A number from `FIELDS`, or a metadata key that has none. */
export type Field = number | string;

/** Makes terms of forms: what is one term, is found together. The name stands for all that decides the result. */
export interface TermAnalyzer {
  readonly name: string;
  /** False: forms are one term where they differ in diacritics at most. */
  readonly stemming: boolean;
  term(form: string): string;
}

/** A document as it is indexed. */
export interface IndexedDocument {
  /** Ordinal in the database. */
  readonly ord: number;
  /** What queries are read for it as (see `document-classes.ts`). Texts of code go through the tokeniser of source code. */
  readonly documentClass: number;
  /** The analyzer of its language, so that the words which it brings are grouped for it at once. */
  readonly analyzer: TermAnalyzer;
  /** The texts of each field, by its number; phrases don't reach from one to the next. */
  readonly fields: readonly (readonly string[])[];
  /** Those of the other metadata keys. */
  readonly named: ReadonlyMap<string, readonly string[]>;
}

export type Algorithm = 'tfidf' | 'bm25' | 'bm25f' | 'pmisparse';

/** A term that adds to scores; its weight multiplies what it adds. */
export interface WeightedTerm {
  readonly form: string;
  readonly weight: number;
}

/** Further terms that match where a term of the query may, by that term's node. */
export type Expansions = ReadonlyMap<QueryNode, readonly WeightedTerm[]>;

/** A word of a query, for reranking. */
export interface QueryWord {
  readonly form: string;
  /** Its number among the words of the query. */
  readonly offset: number;
  /** Whether nothing but signs stands between it and the next word. */
  readonly glued: boolean;
  /** Whether it is, or is part of, what looks like an identifier. */
  readonly identifier: boolean;
}

/** A query as it is read for documents of some classes. */
export interface TextReading {
  /** A bit for each class (see `document-classes.ts`). */
  readonly classes: number;
  /** Terms with their synonyms and edits; undefined matches nothing. */
  readonly root: QueryNode | undefined;
  /** Makes terms of the query's forms and of the indexed ones. */
  readonly analyzer: TermAnalyzer;
  /** The words of the query in their order without stop words, each term once; none where the query has a syntax. */
  readonly words?: readonly QueryWord[];
  /** Terms beside those of `root`; for an algorithm that expands queries. */
  readonly expansions?: Expansions | undefined;
}

/** How exactly matches are counted (see `SearchOptions` of the index). */
export type Totals = 'exact' | 'bounded' | 'none';

/** What is looked for. Neither filter nor factors change the frequencies that scores come from. */
export interface TextQuery {
  /** Those of a query, of which no two are for the same class. */
  readonly readings: readonly TextReading[];
  /** `pmisparse` scores as BM25 with a k1 of 1.5; its expansions are the caller's. */
  readonly algorithm: Algorithm;
  /** Weights of the fields that count, for `bm25f`; 0 leaves a field out. */
  readonly fieldWeights?: ReadonlyMap<Field, number>;
  /** The only fields that count, but for `bm25f`; when absent those with a weight for `tfidf`, else content and metadata. */
  readonly fields?: readonly Field[];
  /** Whether the best are put into a better order by the words of the readings. */
  readonly rerank?: boolean | undefined;
  /** Best matches wanted; may be 0. */
  readonly limit: number;
  /** Exactly unless said. */
  readonly totals?: Totals;
  /** The only documents that may match. */
  readonly filter?: OrdSet;
  /** Factor of the score of each document by its ordinal; 1 behind the end. */
  readonly factors?: Float32Array;
  /** Whether `matches` is wanted. */
  readonly collect?: boolean;
  /** Documents whose scores are wanted as well, whether or not they are among the best. */
  readonly look?: readonly number[];
}

export interface TextHit {
  readonly ord: number;
  readonly score: number;
}

export interface TextMatches {
  /** Documents that match; at least so many where that is a lower bound. */
  readonly total: number;
  readonly isLowerBound: boolean;
  /** The best, by score, then by ordinal. */
  readonly hits: readonly TextHit[];
  /** All that match, if `collect` asked for them. */
  readonly matches?: OrdSet;
  /** The scores of `look` before filter and factors; undefined where one does not match. */
  readonly looked: readonly (number | undefined)[];
}

/** How a document matches a term that allows edits: by the term itself, and by which forms besides. */
export interface MatchByEdits {
  readonly itself: boolean;
  readonly forms: readonly string[];
}

export interface Completion {
  /** A form as it was written in the document, in lower case. */
  readonly term: string;
  /** Of several, the one with the most documents. */
  readonly field: Field;
  readonly documents: number;
}

export interface CompletionRequest {
  /** Lowercased; none is empty. What begins with any of them is offered. */
  readonly prefixes: readonly string[];
  /** The only field to look at. */
  readonly field?: Field;
  /** Entries of the dictionary that may be read. */
  readonly scan: number;
  readonly limit: number;
  /** Words that are not offered. */
  readonly isStopWord: (form: string) => boolean;
}

/**
 * The full-text index of one collection, as this area needs it. It knows documents by their ordinals and
 * keeps no text. Calls are synchronous; none may be made while another is under way.
 */
export interface TextIndex {
  /** Live documents. */
  readonly documents: number;
  /** Bytes of memory that it holds. */
  readonly bytes: number;
  /** Indexes a document, in the place of its former version. What is left of a large one is for steps: see `Entry.addTo`. */
  put(document: IndexedDocument): Steps | undefined;
  /** How many documents each class has, by its number. */
  documentsByClass(): readonly number[];
  /** The class of a document; undefined for one that is not there. */
  classOf(ord: number): number | undefined;
  /** Takes a document out; one that is not there is no error. */
  remove(ord: number): void;
  /** Gets ready for an analyzer that is new to the index, a little at each call; true when it is. Searches would wait for all of it. */
  prepare(analyzer: TermAnalyzer): boolean;
  /**
   * Throws `invalid_argument` for a query whose patterns stand for too many words.
   */
  search(query: TextQuery): TextMatches;
  /** The terms that stand out in documents which are taken as relevant. */
  relevantTerms(rules: FeedbackRules, documents: readonly RelevantText[]): readonly WeightedTerm[];
  /**
   * The best of the hits of a search that reranks, in the order that further terms make: what a document scores by them adds
   * to its score. Nothing is found besides, and nothing falls behind what was not looked at.
   */
  rescore(hits: readonly TextHit[], feedback: readonly Feedback[], query: Pick<TextQuery, 'algorithm' | 'fieldWeights' | 'fields' | 'factors'>): readonly TextHit[];
  /** The score of each document, before filter and factors; below 0 for one that does not match. */
  scoresOf(query: Pick<TextQuery, 'readings' | 'algorithm' | 'fieldWeights' | 'fields'>, ords: Uint32Array): Float32Array;
  /** Whether each of some documents has the term of a form, in any field. */
  matchesExactly(form: string, analyzer: TermAnalyzer, ords: readonly number[]): boolean[];
  /** How each of some documents matches a term that allows edits, in some fields or in any. */
  matchesByEdits(term: TermNode, analyzer: TermAnalyzer, ords: readonly number[], fields?: readonly Field[]): MatchByEdits[];
  /** Words that are spelled like a form but for an edit or two, the nearest first, then those of most documents. */
  spelledLike(form: string, limit: number): readonly string[];
  /** Changes whenever documents come or go. */
  readonly version: string;
  /** Live documents that have a form, in any field. */
  documentsWith(form: string): number;
  /** The forms of the index with their live documents, those of `count` numbers from `from` on; `next` is where to go on. Forms may come and go meanwhile. */
  words(from: number, count: number): { readonly words: readonly { readonly word: string; readonly documents: number }[]; readonly next: number | undefined };
  /** Forms of the index like something, each once; undefined where there are more than `limit`. */
  formsLike(like: FormsLike, limit: number): readonly string[] | undefined;
  /** By documents, descending, then by term. */
  complete(request: CompletionRequest): Completion[];
  /** Does a little of the work that deletions leave behind; true while there is more. */
  tidy(): boolean;
  /** Gets ready for a change while `save` is being read, a little at each call; true while there is more. */
  settle(): boolean;
  /** Everything as of now, to be taken up by `TextIndexes.restore`; the index may change while it is read. */
  save(): AsyncIterable<Uint8Array>;
}

/** What forms are looked up by: the term that they share with one, a pattern, or edits of a word (see `TermNode`). */
export type FormsLike =
  | { readonly by: 'term'; readonly form: string; readonly analyzer: TermAnalyzer }
  | { readonly by: 'pattern'; readonly pattern: string }
  | { readonly by: 'edits'; readonly form: string; readonly edits: number; readonly keepsFirst: boolean; readonly analyzer: TermAnalyzer };

/** Makes indexes. */
export interface TextIndexes {
  create(): TextIndex;
  /** Rejects for bytes that are damaged or of another version. */
  restore(bytes: AsyncIterable<Uint8Array>): Promise<TextIndex>;
}
