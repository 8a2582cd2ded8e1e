import type { Fuzziness, MatchingStrategy, PrefixMatching } from '../../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../../errors/index.ts';
import { analyzerFor, stemmingAvailable } from '../../../text/languages/index.ts';
import { type GroupNode, type ParsedQuery, type ParseOptions, parseQuery, type QueryMode, type QueryNode,
  QuerySyntaxError, type TermNode } from '../../../text/query/index.ts';
import { formsOf } from '../../../text/tokenize.ts';
import type { SynonymLookup } from '../synonyms.ts';
import { termAnalyzer } from '../view/analyzers.ts';
import { CODE_CLASSES, isAmong } from '../view/document-classes.ts';
import type { TextReading } from '../view/text-index.ts';
import type { Vocabulary } from './name-spellings.ts';
import { Planner, type Planning } from './planner.ts';
import type { QueryLanguage } from './query-languages.ts';
import { wordsOfQuery } from './query-words.ts';

export type Leaf = Exclude<QueryNode, GroupNode>;

/** A leaf that a match may contain, and its labels in the answer. */
export interface WantedLeaf {
  readonly node: Leaf;
  /** Terms of the query: one, or the words of a phrase. */
  readonly labels: readonly string[];
}

/**
 * A query for the documents of some classes, in the form that the index takes. Its analyzer converts forms to terms and
 * knows no stop words, because the tree no longer has any; `expandReading` adds the expansions.
 */
export interface Reading extends TextReading {
  /** Code of its language; for code, that of the server or of the most frequent prose. */
  readonly lang: string;
  readonly isStopWord: (form: string) => boolean;
  /** Words that highlights pass over. For code, which has no stop words, those of the languages of the query. */
  readonly isCommon: (form: string) => boolean;
  /**
   * Leaves that match, not those that exclude; in simple mode one for each term, however many of its inflections the
   * query has.
   */
  readonly wanted: readonly WantedLeaf[];
  /** Terms that the query itself contains, in contrast to their synonyms. */
  readonly own: ReadonlySet<TermNode>;
  /** Stop words of the query that are not searched for. */
  readonly dropped: ReadonlySet<string>;
}

/** A query as the name of a document. */
export interface Name {
  readonly text: string;
  /** The forms of all its words. */
  readonly forms: readonly string[];
  /** Whether it is searched for as words, and not as a pattern. */
  readonly isWords: boolean;
}

/** A query as it is read for each class of documents. */
export interface QueryPlan {
  readonly mode: QueryMode;
  /** Undefined if the syntax of the query is not that of a name. */
  readonly name: Name | undefined;
  /** No two readings are for the same class. */
  readonly readings: readonly Reading[];
}

/** How a query is read for documents of a class; undefined when they are not searched. */
export function readingFor({ readings }: QueryPlan, documentClass: number): Reading | undefined {
  return readings.find(({ classes }) => isAmong(documentClass, classes));
}

/** Whether a plan stems words for any class. */
export function isStemming({ readings }: QueryPlan): boolean {
  return readings.some(({ lang, analyzer }) => analyzer.stemming && stemmingAvailable(lang));
}

export interface PlanOptions extends Required<Pick<ParseOptions, 'mode' | 'distance'>> {
  /** The languages of prose, the main one first. */
  readonly languages: readonly [QueryLanguage, ...QueryLanguage[]];
  readonly stemming: boolean;
  /** Synonyms of a form, or of several with spaces between them; undefined when none are added. */
  readonly synonymsOf: SynonymLookup | undefined;
  /** Edits allowed in simple mode; `auto`: depends on the length of a term. */
  readonly fuzzy: Fuzziness;
  /** Which word may be the beginning of another, in simple mode; none by default. */
  readonly prefix?: PrefixMatching;
  /** How many words must match, in simple mode; any by default. */
  readonly matching?: MatchingStrategy;
  /** Undefined when no other spellings are searched for. */
  readonly vocabulary?: Vocabulary | undefined;
  /** Whether the query is not read for source code, because no document is any. */
  readonly withoutCode?: boolean;
}

/**
 * Reads a query for prose, in each language, and for code, and prepares it: stop words are removed, terms get their
 * edits and synonyms. Throws `invalid_argument` with the byte position for a query that the grammar of its mode does
 * not allow.
 */
export function planQuery(query: string, given: PlanOptions): QueryPlan {
  const options = { ...given, query, queryBytes: Buffer.byteLength(query) };
  const parsed = parse(query, options, false);
  const readings = options.languages.map((language) => {
    const reading = readAsProse(parsed, options, language);
    // A query that consists only of stop words of a language searches for them.
    return reading.root === undefined && reading.dropped.size > 0
      ? readAsProse(parsed, options, { ...language, stopWords: NONE })
      : reading;
  });
  if (options.withoutCode !== true) {
    // What is no syntax in prose is none in code: the answer names one mode.
    const mode = parsed.mode === 'simple' ? 'simple' : options.mode;
    readings.push(readAsCode(parse(query, { ...options, mode }, true), options));
  }
  return { mode: parsed.mode, name: nameOf(options, parsed.mode), readings };
}

/** A name may look like a pattern, as `function*` does. */
function nameOf({ query, mode: asked }: Planning, mode: QueryMode): Name | undefined {
  return mode === 'simple' || (mode === 'wildcard' && asked === 'auto')
    ? { text: query, forms: formsOf(query), isWords: mode === 'simple' }
    : undefined;
}

const NONE: ReadonlySet<string> = new Set();

function readAsProse(parsed: ParsedQuery, options: Planning, { lang, stopWords, classes }: QueryLanguage): Reading {
  const { stemming } = options;
  const isStopWord = stopWordsIn({ lang, stopWords }, stemming);
  return read(parsed, options, {
    lang,
    classes,
    analyzer: termAnalyzer(lang, stemming),
    isStopWord,
    isCommon: isStopWord,
  });
}

function stopWordsIn({ lang, stopWords }: Pick<QueryLanguage, 'lang' | 'stopWords'>, stemming: boolean) {
  const analyzer = analyzerFor(lang, { stemming, stopWords });
  return (form: string): boolean => analyzer.isStopWord(form);
}

/**
 * Identifiers are searched for as they are written: no stems, and no stop words (contract section 2, "Code documents").
 */
function readAsCode(parsed: ParsedQuery, options: Planning): Reading {
  const { languages: [{ lang }], languages, stemming } = options;
  const stopWords = languages.map((language) => stopWordsIn(language, stemming));
  return read(parsed, options, {
    lang,
    classes: CODE_CLASSES,
    analyzer: termAnalyzer(lang, false),
    isStopWord: () => false,
    isCommon: (form) => stopWords.some((isStopWord) => isStopWord(form)),
  });
}

function read({ mode, root }: ParsedQuery, options: Planning,
  { lang, classes, analyzer, isStopWord, isCommon }: Pick<Reading,
    'lang' | 'classes' | 'analyzer' | 'isStopWord' | 'isCommon'>): Reading
{
  const planner = new Planner(options, mode, { lang, classes, analyzer, isStopWord });
  const planned = planner.plan(root);
  const words = mode === 'simple' ? wordsOfQuery(options.query, root, { analyzer, isStopWord }) : [];
  return {
    lang,
    classes,
    analyzer,
    isStopWord,
    isCommon,
    root: planned,
    wanted: planner.wanted,
    own: planner.own,
    dropped: planner.dropped,
    words,
  };
}

function parse(query: string, { mode, distance }: PlanOptions, code: boolean): ParsedQuery {
  try {
    return parseQuery(query, { mode, distance, code });
  } catch (error) {
    if (!(error instanceof QuerySyntaxError)) throw error;
    throw new ServiceError('invalid_argument', `query: ${error.message}`);
  }
}
