import type { Operations } from '../../../../generated/docs/operations.ts';
import type { InputOf } from '../../../operations/index.ts';
import type { Filter } from '../../../search/filter/index.ts';
import type { Circle } from '../../../search/geo/index.ts';
import { cursorOf, type CursorRequest, parseSort, type SortKey } from '../../../search/order/index.ts';
import type { Collections } from '../../collections/index.ts';
import { circleOf, expressionOf, limitOf, type Projection, projectionOf } from '../../search/index.ts';
import type { FullText } from '../fulltext.ts';
import type { FullTextView } from '../view/fulltext-view.ts';
import type { Algorithm, Field, Totals } from '../view/text-index.ts';
import { hasCode, languagesOfQuery } from './query-languages.ts';
import { isStemming, planQuery, type QueryPlan } from './query-plan.ts';
import { searchedFields } from './searched-fields.ts';

export type SearchInput = InputOf<Operations, 'searchFullText'>;

/** Settings of the server that apply to searches. */
export interface SearchSettings {
  readonly defaultLang: string;
  readonly stemming: boolean;
  readonly synonyms: boolean;
  /** The algorithm of searches which name none. */
  readonly algorithm: Algorithm;
}

/** A request with all values determined: by the request, then the collection's profile, then the defaults. */
export interface SearchRequest {
  readonly collection: string;
  readonly query: string;
  readonly plan: QueryPlan;
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
  readonly limit: number;
  /** Number of results to skip. */
  readonly offset: number;
  /** All conditions on documents. */
  readonly filter: Filter | undefined;
  /** The circle in which they must be; undefined for any place. */
  readonly circle: Circle | undefined;
  /** Undefined for best first. */
  readonly sort: readonly SortKey[] | undefined;
  /** Undefined for pages by offset. */
  readonly cursor: CursorRequest | undefined;
  readonly boost: Readonly<Record<string, number>>;
  readonly facetBy: readonly string[] | undefined;
  readonly facetMaxValues: number;
  readonly highlight: { readonly highlightTag: string; readonly maxHighlights: number; readonly fragmentSize: number;
    readonly escape: 'none' | 'html' } | undefined;
  readonly projection: Projection;
  /** How exactly matches are counted. */
  readonly totals: Totals;
  /** Tokens; 0 for no budget. */
  readonly budget: number;
}

const DEFAULT_LIMIT = 50;

export interface RequestContext {
  readonly settings: SearchSettings;
  readonly dictionaries: Pick<FullText, 'synonymsOf' | 'stopWordsOf'>;
  readonly collections: Pick<Collections, 'configOf'>;
  readonly view: Pick<FullTextView, 'indexOf'>;
}

/**
 * `forPresent`: the query is only for the documents that the collection has now, so it is read as source code only if
 * some are. Throws `invalid_argument` for what a schema cannot check: the query's syntax, total sizes, names of fields,
 * times; and `index_loading`.
 */
export function resolveRequest({ settings, dictionaries, collections, view }: RequestContext, input: SearchInput,
  { forPresent = false } = {}): SearchRequest
{
  const { collection, query, highlight, highlightTag, maxHighlights, fragmentSize, highlightEscape } = input;
  const filter = expressionOf(input);
  const languages = languagesOfQuery({ settings, dictionaries, view }, collection, input.lang);
  const synonymsActive = settings.synonyms && !input.disableSynonyms;
  const profile = collections.configOf(collection)?.retrieval ?? {};
  const plan = planQuery(query, {
    mode: input.mode,
    distance: input.distance,
    fuzzy: input.fuzzy ?? profile.fuzzy ?? 0,
    prefix: input.prefix,
    matching: input.matchingStrategy,
    languages,
    stemming: settings.stemming && !input.disableStem,
    withoutCode: forPresent && !hasCode({ settings, view }, collection),
    synonymsOf: synonymsActive ? dictionaries.synonymsOf(collection) : undefined,
  });
  const algorithm = input.algorithm ?? profile.algorithm ?? settings.algorithm;
  const searched = searchedFields(algorithm, input.fieldWeights, profile);
  return {
    circle: input.geo && circleOf(input.geo),
    collection,
    query,
    plan,
    algorithm,
    langs: languages.map(({ lang }) => lang),
    synonymsActive,
    filter,
    fieldWeights: searched.weights,
    fields: searched.fields,
    rerank: plan.mode === 'simple' &&
      (input.rerank ?? (input.fieldWeights === undefined && (profile.rerank ?? searched.isUsual))),
    stemmingActive: isStemming(plan),
    limit: limitOf(input) ?? profile.topK ?? DEFAULT_LIMIT,
    offset: input.offset,
    ...orderOf(input),
    boost: input.boost ?? {},
    facetBy: input.facetBy,
    facetMaxValues: input.facetMaxValues,
    highlight: highlight ? { highlightTag, maxHighlights, fragmentSize, escape: highlightEscape } : undefined,
    projection: projectionOf(input.fields, input.includeContent),
    totals: input.totals,
    budget: input.contextTokenBudget ?? profile.contextTokenBudget ?? 0,
  };
}

/** Pages by cursor always have an order. */
function orderOf(input: SearchInput): Pick<SearchRequest, 'sort' | 'cursor'> {
  const { collection, query, mode, algorithm, lang } = input;
  if (input.sort === undefined && input.cursor === undefined) return { sort: undefined, cursor: undefined };
  const sort = parseSort(input.sort ?? 'score', { descending: true, scored: true });
  return {
    sort,
    cursor: cursorOf(input, JSON.stringify([collection.toLowerCase(), query, mode, algorithm, lang, sort]),
      sort.length),
  };
}
