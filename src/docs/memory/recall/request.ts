import type { Operations } from '../../../../generated/docs/operations.ts';
import type { RecallStrategy } from '../../../../generated/docs/sdk/types.gen.ts';
import type { InputOf } from '../../../operations/index.ts';
import type { Filter } from '../../../search/filter/index.ts';
import type { Fusion } from '../../../search/fusion/index.ts';
import { hybridAlphaOf, type Retrieval } from '../../collections/index.ts';
import { type Meta } from '../../documents/index.ts';
import type { Rerank } from '../../embeddings/index.ts';
import { checkFilter, expressionOf, limitOf, ORDERED_CANDIDATES, type ResultOrder,
  resultOrderOf } from '../../search/index.ts';

export type RecallInput = InputOf<Operations, 'recallMemory'>;

/** A request with all values determined: by the request, then the profile of `_memory`, then the defaults. */
export interface RecallRequest {
  readonly query: string;
  readonly strategy: RecallStrategy;
  readonly fusion: Fusion;
  /** Number of documents from each side for the first pages; it does not depend on `offset`. */
  readonly candidates: number;
  /** Number of results to find, including skipped ones. */
  readonly topK: number;
  /** Number of results to skip. */
  readonly offset: number;
  /** Minimum similarity of vector hits, because scores of words have no scale; undefined for any. */
  readonly threshold: number | undefined;
  /** All conditions on documents. */
  readonly filter: Filter | undefined;
  readonly includeContent: boolean;
  /** Tokens; 0 for no budget. */
  readonly budget: number;
  /** As requested; undefined if the server decides. */
  readonly rerank: Rerank | undefined;
  /** Undefined for best first and pages by offset. */
  readonly order: ResultOrder | undefined;
}

const DEFAULT_TOP_K = 10;
const DEFAULT_ALPHA = 0.5;
/** Constant of reciprocal rank fusion (decisions section 4.7). */
const RRF_K = 60;
/** As in hybrid search (decisions section 4.5). */
const MIN_CANDIDATES = 50;
const OVERSAMPLE = 3;

/** Throws `invalid_argument` for a filter with too many values. */
export function resolveRecall(input: RecallInput, profile: Retrieval = {}): RecallRequest {
  const { query, strategy, threshold, includeContent, filterMeta = {} } = input;
  checkFilter(filterMeta);
  const limit = limitOf(input) ?? profile.topK ?? DEFAULT_TOP_K;
  const topK = input.offset + limit;
  const order = resultOrderOf(input, ['recall', query, strategy, input.alpha,
    strategy === 'semantic' ? undefined : threshold]);
  return {
    query,
    strategy,
    topK,
    threshold,
    rerank: input.rerank,
    includeContent,
    order,
    offset: input.offset,
    fusion: fusionOf(input.alpha, profile),
    candidates: order === undefined
      ? Math.max(MIN_CANDIDATES, Math.ceil(limit * (profile.oversample ?? OVERSAMPLE)))
      : ORDERED_CANDIDATES,
    filter: expressionOf({ ...input, filterMeta: filterOf(input, filterMeta) }),
    budget: input.contextTokenBudget ?? profile.contextTokenBudget ?? 0,
  };
}

/** A weight in the request or in the profile selects blending; a profile may also select it without a weight. */
function fusionOf(alpha: number | undefined, profile: Retrieval): Fusion {
  if (alpha !== undefined) return { strategy: 'alpha', alpha };
  const hybridAlpha = hybridAlphaOf(profile);
  const strategy = profile.hybridStrategy ?? (hybridAlpha === undefined ? 'rrf' : 'alpha');
  return strategy === 'rrf' ? { strategy, k: RRF_K } : { strategy, alpha: hybridAlpha ?? DEFAULT_ALPHA };
}

/** A field of the request and `filterMeta` may both name a key; then both must match. */
function filterOf({ userId, sessionId, role }: RecallInput, filterMeta: Meta): Meta {
  const filter = new Map(Object.entries(filterMeta));
  for (const [key, value] of [['user_id', userId], ['session_id', sessionId], ['role', role]] as const) {
    if (value === undefined) continue;
    const given = filter.get(key);
    filter.set(key, given === undefined || given.includes(value) ? [value] : []);
  }
  return Object.fromEntries(filter);
}
