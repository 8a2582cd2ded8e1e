import type { Operations } from '../../../../generated/docs/operations.ts';
import { ServiceError } from '../../../errors/index.ts';
import type { InputOf } from '../../../operations/index.ts';
import { resolveLanguage } from '../../../text/languages/index.ts';
import type { Collections } from '../../collections/index.ts';
import { checkFilter, projectionOf, type Meta, type Projection } from '../../documents/index.ts';
import type { FullText } from '../fulltext.ts';
import { FIELD_COUNT, FIELDS, type Algorithm } from '../view/text-index.ts';
import { fieldByName } from '../view/to-indexed.ts';
import { planQuery, type QueryPlan } from './query-plan.ts';
import { toConditions, type RangeCondition } from './range-conditions.ts';

export type SearchInput = InputOf<Operations, 'searchFullText'>;

/** Settings of the server that searches follow. */
export interface SearchSettings {
  readonly defaultLang: string;
  readonly stemming: boolean;
  readonly synonyms: boolean;
}

/** A request with everything decided: what it says, then the collection's profile, then the defaults. */
export interface SearchRequest {
  readonly collection: string;
  readonly query: string;
  readonly plan: QueryPlan;
  readonly algorithm: Algorithm;
  readonly fieldWeights: readonly number[];
  readonly lang: string;
  readonly stemmingActive: boolean;
  readonly synonymsActive: boolean;
  readonly limit: number;
  readonly filterMeta: Meta;
  readonly ranges: readonly RangeCondition[];
  readonly boost: Readonly<Record<string, number>>;
  readonly facetBy: readonly string[] | undefined;
  readonly facetMaxValues: number;
  readonly highlight: { readonly highlightTag: string; readonly maxHighlights: number; readonly fragmentSize: number } | undefined;
  readonly projection: Projection;
  /** Tokens; 0 is no budget. */
  readonly budget: number;
}

const DEFAULT_LIMIT = 50;

/** `content`, `meta.title`, `meta.tags`, `meta.category`, `meta.description`, everything else (contract, `fieldWeights`). */
const DEFAULT_WEIGHTS = [1, 3, 2, 2, 1.5, 0] as const;

export interface RequestContext {
  readonly settings: SearchSettings;
  readonly dictionaries: Pick<FullText, 'synonymsOf' | 'stopWordsOf'>;
  readonly collections: Pick<Collections, 'configOf'>;
}

/** Throws `invalid_argument` for what a schema cannot see: the query's syntax, sizes in all, names of fields, times. */
export function resolveRequest({ settings, dictionaries, collections }: RequestContext, input: SearchInput): SearchRequest {
  const { collection, query, filterMeta = {}, highlight, highlightTag, maxHighlights, fragmentSize } = input;
  checkFilter(filterMeta);
  const lang = resolveLanguage(input.lang, settings.defaultLang);
  const synonymsActive = settings.synonyms && !input.disableSynonyms;
  const plan = planQuery(query, {
    mode: input.mode, distance: input.distance, fuzzy: input.fuzzy, lang,
    stemming: settings.stemming && !input.disableStem,
    stopWords: dictionaries.stopWordsOf(collection, lang),
    synonymsOf: synonymsActive ? dictionaries.synonymsOf(collection) : undefined,
  });
  const profile = collections.configOf(collection)?.retrieval ?? {};
  return {
    collection, query, plan, lang, synonymsActive, filterMeta,
    algorithm: input.algorithm,
    fieldWeights: toWeights(input.fieldWeights),
    stemmingActive: plan.analyzer.stemming,
    limit: input.limit ?? profile.topK ?? DEFAULT_LIMIT,
    ranges: toConditions(input.rangeMeta),
    boost: input.boost ?? {},
    facetBy: input.facetBy,
    facetMaxValues: input.facetMaxValues,
    highlight: highlight ? { highlightTag, maxHighlights, fragmentSize } : undefined,
    projection: projectionOf(input.fields, input.includeContent),
    budget: input.contextTokenBudget ?? profile.contextTokenBudget ?? 0,
  };
}

/** Fields that are not listed do not count. Metadata without a field of its own cannot be weighed apart. */
function toWeights(given: Readonly<Record<string, number>> | undefined): readonly number[] {
  if (given === undefined) return DEFAULT_WEIGHTS;
  const weights = Array.from({ length: FIELD_COUNT }, () => 0);
  for (const [name, weight] of Object.entries(given)) {
    const field = fieldByName(name);
    if (field === undefined) throw new ServiceError('invalid_argument', `fieldWeights: "${name}" must be one of ${FIELDS.slice(0, -1).join(', ')}`);
    weights[field] = weight;
  }
  return weights;
}
