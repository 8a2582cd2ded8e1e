import type { OrdSet } from '../../../lib/ord-set.ts';
import type { CompoundRules, IndexPart, Segment, Spellings } from '../../../search/inverted/index.ts';
import type { QueryNode, TermNode } from '../../../text/query/index.ts';
import type { Steps } from '../../view/index.ts';
import type { Feedback, FeedbackRules, RelevantText } from './feedback.ts';
import type { Letters } from './letters.ts';

/**
 * The fields of a document that have a number in the index. Headings and the last segment of the key duplicate other
 * text, so they count only for algorithms that weight fields. Each other metadata key has a field by its name; if a
 * collection has very many keys, the last ones share the field `other`.
 */
export const FIELDS = ['content', 'meta.title', 'meta.tags', 'meta.category', 'meta.description', 'headings', 'key',
  'other'] as const;

/** Number of the field for the body. */
export const CONTENT = 0;

/** A number from `FIELDS`, or a metadata key that has none. */
export type Field = number | string;

/**
 * Converts forms to terms: forms of the same term are found together. The name identifies everything that determines
 * the result.
 */
export interface TermAnalyzer {
  readonly name: string;
  /** False: forms are the same term only if they differ at most in diacritics. */
  readonly stemming: boolean;
  term(form: string): string;
  /** The same without a cache; see `Analyzer` of the index. */
  termOnce?(form: string): string;
  /** See `Analyzer` of the index. */
  readonly spellings?: Spellings | undefined;
  readonly compounds?: CompoundRules | undefined;
}

/** A document as it is indexed. */
export interface IndexedDocument {
  /** Ordinal in the database. */
  readonly ord: number;
  /**
   * The class for which queries are read (see `document-classes.ts`). Texts of code use the tokenizer of source code.
   */
  readonly documentClass: number;
  /** The analyzer of its language, so that new words are grouped for it at once. */
  readonly analyzer: TermAnalyzer;
  /** The texts of each field, by its number; phrases do not match across two texts. */
  readonly fields: readonly (readonly string[])[];
  /** The texts of the other metadata keys. */
  readonly named: ReadonlyMap<string, readonly string[]>;
}

export type Algorithm = 'tfidf' | 'bm25' | 'bm25f' | 'pmisparse';

/** A term that adds to scores; its weight multiplies its score. */
export interface WeightedTerm {
  readonly form: string;
  readonly weight: number;
}

/** Further terms that match wherever a term of the query may match, by that term's node. */
export type Expansions = ReadonlyMap<QueryNode, readonly WeightedTerm[]>;

/** A word of a query, for reranking. */
export interface QueryWord {
  readonly form: string;
  /** Its number among the words of the query. */
  readonly offset: number;
  /** Whether only punctuation separates it from the next word. */
  readonly glued: boolean;
  /** Whether it is, or is part of, a probable identifier. */
  readonly identifier: boolean;
}

/** A query as it is read for documents of some classes. */
export interface TextReading {
  /** A bit for each class (see `document-classes.ts`). */
  readonly classes: number;
  /** Terms with their synonyms and edits; undefined matches nothing. */
  readonly root: QueryNode | undefined;
  /** Converts the forms of the query and of the index to terms. */
  readonly analyzer: TermAnalyzer;
  /** The words of the query in their order, without stop words, each term once; empty if the query has operators. */
  readonly words?: readonly QueryWord[];
  /** Terms in addition to those of `root`, for an algorithm that expands queries. */
  readonly expansions?: Expansions | undefined;
}

/** How exactly matches are counted (see `SearchOptions` of the index). */
export type Totals = 'exact' | 'bounded' | 'none';

/** The query. Neither filter nor factors change the frequencies that scores are computed from. */
export interface TextQuery {
  /** The readings of a query; no two are for the same class. */
  readonly readings: readonly TextReading[];
  /** `pmisparse` scores as BM25 with a k1 of 1.5; the caller adds its expansions. */
  readonly algorithm: Algorithm;
  /** Weights of the fields that count, for `bm25f`; 0 excludes a field. */
  readonly fieldWeights?: ReadonlyMap<Field, number>;
  /**
   * The only fields that count, except for `bm25f`; when absent, those with a weight for `tfidf`, otherwise content and
   * metadata.
   */
  readonly fields?: readonly Field[];
  /** Whether the best matches are reranked by the words of the readings. */
  readonly rerank?: boolean | undefined;
  /** Number of best matches; may be 0. */
  readonly limit: number;
  /** How matches are counted; exactly by default. */
  readonly totals?: Totals;
  /** The only documents that may match. */
  readonly filter?: OrdSet;
  /** Factor of the score of each document by its ordinal; 1 beyond the end. */
  readonly factors?: Float32Array;
  /** Whether `matches` is returned. */
  readonly collect?: boolean;
  /** Documents whose scores are returned as well, whether or not they are among the best. */
  readonly look?: readonly number[];
}

export interface CalledDocuments {
  readonly byTitle: readonly number[];
  readonly byKey: readonly number[];
}

export interface TextHit {
  readonly ord: number;
  readonly score: number;
}

export interface TextMatches {
  /** Number of documents that match; if it is a lower bound, there may be more. */
  readonly total: number;
  readonly isLowerBound: boolean;
  /** The best, by score, then by ordinal. */
  readonly hits: readonly TextHit[];
  /** All that match, if `collect` is set. */
  readonly matches?: OrdSet;
  /** The scores of the documents in `look` before filter and factors; undefined for one that does not match. */
  readonly looked: readonly (number | undefined)[];
}

/** How a document matches a term that allows edits: by the term itself, and by which other forms. */
export interface MatchByEdits {
  readonly itself: boolean;
  readonly forms: readonly string[];
}

export interface Completion {
  /** A form as it was written in the document, in lower case. */
  readonly term: string;
  /** If there are several, the one with the most documents. */
  readonly field: Field;
  readonly documents: number;
}

export interface CompletionRequest {
  /** Lowercased, none empty. Words that begin with any of them are offered. */
  readonly prefixes: readonly string[];
  /** The only field to search. */
  readonly field?: Field;
  /** Maximum number of dictionary entries that are read. */
  readonly scan: number;
  readonly limit: number;
  /** Words that are not offered. */
  readonly isStopWord: (form: string) => boolean;
}

/**
 * What is read of a full-text index, or of several with different documents as if they were one. Calls are
 * synchronous; no call may be made while another one is running. If some of these indexes are in other processes, a
 * call may throw `Unanswered` (src/search/parts).
 */
export interface ReadableText {
  /** Live documents. */
  readonly documents: number;
  /** Bytes of memory that it uses; of several indexes, with what they have in common. */
  readonly bytes: number;
  /**
   * The metadata keys that have field numbers, in the order of their numbers; a segment for this index begins with
   * them. Of several indexes, those of the index that has the most: a segment for one with others is not used.
   */
  readonly fieldNames: readonly string[];
  /** Number of documents of each class, by its number. */
  documentsByClass(): readonly number[];
  /** The class of each document; undefined for one that is not indexed. */
  classesOf(ords: readonly number[]): (number | undefined)[];
  /**
   * Prepares an analyzer that is new to the index, one step at each call; true when it is ready. Otherwise searches
   * would wait for all of it.
   */
  prepare(analyzer: TermAnalyzer): boolean;
  /** Throws `invalid_argument` for a query whose patterns match too many words. */
  search(query: TextQuery): TextMatches;
  /**
   * Takes back the `matches` of a search, which the caller must not use any more; a later search returns the same
   * memory.
   */
  reuse(matches: OrdSet): void;
  /** The characteristic terms of documents which are taken as relevant. */
  relevantTerms(rules: FeedbackRules, documents: readonly RelevantText[]): readonly WeightedTerm[];
  /**
   * Reorders the best hits of a search that reranks: a document's score for further terms is added to its score. No
   * other documents are found, and no hit falls behind those that were not reranked.
   */
  rescore(hits: readonly TextHit[], feedback: readonly Feedback[],
    query: Pick<TextQuery, 'algorithm' | 'fieldWeights' | 'fields' | 'factors'>): readonly TextHit[];
  /** Some documents whose title, and some whose last segment of the key, has only these forms, in any order. */
  called(name: readonly string[]): CalledDocuments;
  /** The score of each document, before filter and factors; below 0 for one that does not match. */
  scoresOf(query: Pick<TextQuery, 'readings' | 'algorithm' | 'fieldWeights' | 'fields'>,
    ords: Uint32Array): Float32Array;
  /** Number of live documents that have a form of the term of this one, each counted once for each of these forms. */
  documentsOf(form: string, analyzer: TermAnalyzer): number;
  /**
   * Looks for the compounds of the term of a form, some milliseconds at each call; returns whether `hasCompounds` has
   * no more to do. The index must be ready for the analyzer.
   */
  prepareCompounds(form: string, analyzer: TermAnalyzer): boolean;
  /** The same without looking. */
  knowsCompounds(form: string, analyzer: TermAnalyzer): boolean;
  /** Whether the index has compounds of the term of a form. */
  hasCompounds(form: string, analyzer: TermAnalyzer): boolean;
  /** Whether each of some documents has compounds of the term of a form, in any field. */
  matchesCompounds(form: string, analyzer: TermAnalyzer, ords: readonly number[]): boolean[];
  /** Whether each of some documents has the term of a form, in any field. */
  matchesExactly(form: string, analyzer: TermAnalyzer, ords: readonly number[]): boolean[];
  /** How each of some documents matches a term that allows edits, in some fields or in any. */
  matchesByEdits(term: TermNode, analyzer: TermAnalyzer, ords: readonly number[],
    fields?: readonly Field[]): MatchByEdits[];
  /** Words that differ from a form by an edit or two, the nearest first, then those of most documents. */
  spelledLike(form: string, limit: number): readonly string[];
  /** Changes whenever documents are added or removed. */
  readonly version: string;
  /** Changes at each change of the index, so also between the steps in which a document is added. */
  readonly revision: number;
  /** Number of live documents that have a form, in any field. */
  documentsWith(form: string): number;
  /**
   * The forms of the index with their live documents, for `count` numbers from `from`; `next` is where to continue.
   * Forms may be added and removed meanwhile.
   */
  words(from: number,
    count: number
  ): { readonly words: readonly { readonly word: string; readonly documents: number }[];
    readonly next: number | undefined };
  /** Forms of the index that match a lookup, each once; undefined if there are more than `limit`. */
  formsLike(like: FormsLike, limit: number): readonly string[] | undefined;
  /** By documents, descending, then by term. */
  complete(request: CompletionRequest): Completion[];
}

/** One of the indexes that are joined, or what stands for one in another process. */
export interface TextPart {
  readonly inverted: IndexPart;
}

/**
 * The full-text index of one collection, or of a partition of it, as this area uses it. It identifies documents by
 * their ordinals and stores no text.
 */
export interface TextIndex extends ReadableText, TextPart {
  /**
   * Indexes a document, replacing its former version. The rest of a large document is left to steps: see `Entry.addTo`.
   */
  put(document: IndexedDocument): Steps | undefined;
  /**
   * Indexes the documents of a segment with these ordinals, replacing their former versions, with the same result as
   * `put`. `analyzers` are those of their languages. Undefined if the segment does not fit the index, which is
   * unchanged then.
   */
  putSegment(ords: readonly number[], segment: Segment, analyzers: readonly TermAnalyzer[]): Steps | undefined;
  /** Removes a document; one that is not indexed is no error. */
  remove(ord: number): void;
  /** Does a little of the cleanup after deletions; true while there is more. */
  tidy(): boolean;
  /** Prepares for a change while `save` is being read, one step at each call; true while there is more. */
  settle(): boolean;
  /** The present state, to be read by `TextIndexes.restore`; the index may change while it is read. */
  save(): AsyncIterable<Uint8Array>;
}

/**
 * How forms are looked up: by the term that they share with a form, as compounds of this term, by a pattern, by edits
 * of a word (see `TermNode`), or by letters that they contain or make up together.
 */
export type FormsLike = { readonly by: 'letters'; readonly letters: Letters } | {
  readonly by: 'term' | 'compounds';
  readonly form: string;
  readonly analyzer: TermAnalyzer;
} | {
  readonly by: 'pattern';
  readonly pattern: string;
} | { readonly by: 'edits'; readonly form: string; readonly edits: number; readonly keepsFirst: boolean;
  readonly begins: boolean; readonly analyzer: TermAnalyzer };

/** Creates indexes. */
export interface TextIndexes {
  create(): TextIndex;
  /** Rejects for bytes that are damaged or of another version. */
  restore(bytes: AsyncIterable<Uint8Array>): Promise<TextIndex>;
}
