import type { Operations } from '../../../../generated/docs/operations.ts';
import { Pace } from '../../../lib/pace.ts';
import type { InputOf } from '../../../operations/index.ts';
import { type Guess, withGuesses } from '../../../search/parts/index.ts';
import type { Collections, Retrieval } from '../../collections/index.ts';
import { candidatesOf, diverseCandidates, type Diversity, diversityOf, projectionOf, resolveSearch, type ResultOrder,
  resultOrderOf, type SearchRequest as SearchedDocuments } from '../../search/index.ts';
import type { FullText } from '../fulltext.ts';
import { toWeights, usualWeights } from '../view/field-weights.ts';
import type { FullTextView } from '../view/fulltext-view.ts';
import type { Algorithm, Field, ReadableText, TermAnalyzer, Totals } from '../view/text-index.ts';
import { fieldByName } from '../view/to-indexed.ts';
import { ANY_VOCABULARY, type Vocabulary } from './name-spellings.ts';
import { hasCode, languagesOfQuery } from './query-languages.ts';
import { isStemming, planQuery, type QueryPlan } from './query-plan.ts';

export type SearchInput = InputOf<Operations, 'searchFullText'>;

/** Settings of the server that apply to searches. */
export interface SearchSettings {
  readonly defaultLang: string;
  readonly stemming: boolean;
  readonly synonyms: boolean;
  /** The algorithm of searches which name none. */
  readonly algorithm: Algorithm;
}

/** A word and how its compounds are looked for. */
export interface SoughtCompounds {
  readonly form: string;
  readonly analyzer: TermAnalyzer;
}

/** A request with all values determined: by the request, then the collection's profile, then the defaults. */
export interface SearchRequest extends SearchedDocuments {
  readonly plan: QueryPlan;
  /** Words whose compounds are not looked for yet, because that takes long: the plan is without them. */
  readonly sought: readonly SoughtCompounds[];
  readonly algorithm: Algorithm;
  readonly fieldWeights: ReadonlyMap<Field, number>;
  /** The only fields in which words are found; undefined for the algorithm's default fields. */
  readonly fields: readonly Field[] | undefined;
  /** Whether the best matches are reranked. */
  readonly rerank: boolean;
  /** Codes of the languages that the query was read in, that of most documents first. */
  readonly langs: readonly string[];
  readonly stemmingActive: boolean;
  readonly synonymsActive: boolean;
  /** The order of all matches; undefined for best first and pages by offset. */
  readonly order: ResultOrder | undefined;
  readonly highlight: { readonly highlightTag: string; readonly maxHighlights: number; readonly fragmentSize: number;
    readonly escape: 'none' | 'html' } | undefined;
  /** How exactly matches are counted. */
  readonly totals: Totals;
  /** Undefined if results may resemble each other. */
  readonly diversity: Diversity | undefined;
  /** Number of candidates for the choice of diverse results. */
  readonly candidates: number;
}

const DEFAULT_LIMIT = 50;

/** What requests have that want candidates rather than an answer, and nothing but what the algorithm does. */
export const PLAIN_SEARCH = {
  mode: 'auto',
  prefix: 'none',
  fuzzy: 0,
  matchingStrategy: 'any',
  distance: 5,
  disableStem: false,
  disableSynonyms: false,
  limit: 1,
  offset: 0,
  facetMaxValues: 0,
  totals: 'exact',
  includeContent: false,
  highlight: false,
  highlightTag: '<mark>',
  highlightEscape: 'none',
  maxHighlights: 0,
  fragmentSize: 150,
  mmr: false,
  mmrLambda: 0.5,
} as const;

export interface RequestContext {
  readonly settings: SearchSettings;
  readonly dictionaries: Pick<FullText, 'synonymsOf' | 'stopWordsOf'>;
  readonly collections: Pick<Collections, 'configOf'>;
  readonly view: Pick<FullTextView, 'indexOf'>;
}

/**
 * `forPresent`: the query is only for the documents that the collection has now, so it is read as source code only if
 * some are, and in the spellings of names that they have. `forAny`: it is for documents that may come, so it is read in
 * every spelling. Throws `invalid_argument` for what a schema cannot check: the query's syntax, total sizes, names of
 * fields, times; and `index_loading`.
 */
export function resolveRequest({ settings, dictionaries, collections, view }: RequestContext, input: SearchInput,
  { forPresent = false, forAny = false } = {}): SearchRequest
{
  const { collection, query, highlight, highlightTag, maxHighlights, fragmentSize, highlightEscape } = input;
  const { retrieval: profile = {}, vectors } = collections.configOf(collection) ?? {};
  const search = resolveSearch(input, profile, DEFAULT_LIMIT, vectors);
  const languages = languagesOfQuery({ settings, dictionaries, view }, collection, input.lang);
  const synonymsActive = settings.synonyms && !input.disableSynonyms;
  const sought: SoughtCompounds[] = [];
  const withoutCode = forPresent && !hasCode({ view }, collection);
  const index = forPresent ? view.indexOf(collection) : undefined;
  const plan = withGuesses((guess) =>
    planQuery(query, {
      mode: input.mode,
      distance: input.distance,
      fuzzy: input.fuzzy ?? profile.fuzzy ?? 0,
      prefix: input.prefix,
      matching: input.matchingStrategy,
      languages,
      stemming: settings.stemming && !input.disableStem,
      withoutCode,
      vocabulary: forAny ? ANY_VOCABULARY : index && vocabularyOf(index, sought, guess),
      synonymsOf: synonymsActive ? dictionaries.synonymsOf(collection) : undefined,
    })
  );
  const algorithm = input.algorithm ?? profile.algorithm ?? settings.algorithm;
  const searched = searchedFields(algorithm, input.fieldWeights, profile);
  const diversity = diversityOf(input);
  return {
    ...search,
    plan,
    sought,
    algorithm,
    langs: languages.map(({ lang }) => lang),
    synonymsActive,
    fieldWeights: searched.weights,
    fields: searched.fields,
    rerank: plan.name !== undefined &&
      (input.rerank ?? (input.fieldWeights === undefined && (profile.rerank ?? searched.isUsual))),
    stemmingActive: isStemming(plan),
    order: resultOrderOf(input, ['words', collection.toLowerCase(), query, input.mode, input.algorithm, input.lang]),
    highlight: highlight ? { highlightTag, maxHighlights, fragmentSize, escape: highlightEscape } : undefined,
    projection: projectionOf(input.fields, input.includeContent, search.projection.vectors),
    totals: input.totals,
    diversity,
    candidates: diversity === undefined
      ? search.offset + search.limit
      : diverseCandidates(candidatesOf(search, undefined, profile.oversample), search.limit),
  };
}

/**
 * Inflections count once the index is ready for their analyzer, and compounds once they are found. Those that are not
 * found at once are noted in `sought`. A word whose documents parts elsewhere have not counted yet has one.
 */
function vocabularyOf(index: ReadableText, sought: SoughtCompounds[], guess: Guess): Vocabulary {
  const pace = new Pace();
  return {
    documentsOf: (form, analyzer) =>
      guess(() => (index.prepare(analyzer) ? index.documentsOf(form, analyzer) : index.documentsWith(form)), 1),
    documentsWith: (form) => guess(() => index.documentsWith(form), 1),
    isWithin: (form) => index.formsLike({ by: 'pattern', pattern: `*${form}*` }, 1)?.length !== 0,
    hasCompounds(form, analyzer) {
      if (!index.prepare(analyzer)) return false;
      const isFound = index.knowsCompounds(form, analyzer) ||
        (sought.length === 0 && !pace.isDue && index.prepareCompounds(form, analyzer));
      if (!isFound) sought.push({ form, analyzer });
      return isFound && index.hasCompounds(form, analyzer);
    },
  };
}

/** The fields in which a search finds words. */
interface SearchedFields {
  /** Weights for `bm25f`. */
  readonly weights: ReadonlyMap<Field, number>;
  /** The only fields that are searched; undefined for the algorithm's default fields. */
  readonly fields: readonly Field[] | undefined;
  /** Whether the fields that reranking uses are searched: content, title and key. */
  readonly isUsual: boolean;
}

/** Fields that reranking uses. */
const RERANKED = ['content', 'title', 'key'].map(fieldByName);

/**
 * The fields that a `bm25f` search weights are searched; otherwise the searchable fields of the profile, for `bm25f`
 * with the weights of the profile. If the profile has no weight, a searchable field without a default weight has 1.
 */
function searchedFields(algorithm: Algorithm, asked: Readonly<Record<string, number>> | undefined,
  { fieldWeights, searchableFields }: Retrieval): SearchedFields
{
  const given = asked ?? fieldWeights;
  const weights = given === undefined ? usualWeights : toWeights(given);
  if (searchableFields === undefined || (algorithm === 'bm25f' && asked !== undefined))
    return { weights, fields: algorithm === 'bm25f' ? counting(weights) : undefined, isUsual: true };
  const fields = [...new Set(searchableFields.map(fieldByName))];
  const searched = new Map(fields.map((field) => [field, weights.get(field) ?? (fieldWeights === undefined ? 1 : 0)]));
  return {
    weights: searched,
    fields: algorithm === 'bm25f' ? counting(searched) : fields,
    isUsual: RERANKED.every((field) => fields.includes(field)),
  };
}

function counting(weights: ReadonlyMap<Field, number>): Field[] {
  return [...weights].filter(([, weight]) => weight > 0).map(([field]) => field);
}
