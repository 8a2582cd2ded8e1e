import type { Operations } from '../../../../generated/docs/operations.ts';
import type { RecallStrategy } from '../../../../generated/docs/sdk/types.gen.ts';
import type { InputOf } from '../../../operations/index.ts';
import type { Fusion } from '../../../search/fusion/fuse.ts';
import { hybridAlphaOf, type Retrieval } from '../../collections/index.ts';
import { type Meta } from '../../documents/index.ts';
import { candidatesOf, checkFilter, diverseCandidates, diversityOf, type RankedRequest, resolveSearch,
  resultOrderOf } from '../../search/index.ts';
import { MEMORY } from '../deps.ts';

export type RecallInput = InputOf<Operations, 'recallMemory'>;

/** A request with all values determined: by the request, then the profile of `_memory`, then the defaults. */
export interface RecallRequest extends RankedRequest {
  readonly strategy: RecallStrategy;
  /** If the strategy is `hybrid`. */
  readonly fusion: Fusion;
  /** Minimum similarity of vector hits, because scores of words have no scale; undefined for any. */
  readonly threshold: number | undefined;
}

const DEFAULT_TOP_K = 10;
const DEFAULT_ALPHA = 0.5;
/** Constant of reciprocal rank fusion (decisions section 4.7). */
const RRF_K = 60;

/** Throws `invalid_argument` for a filter with too many values. */
export function resolveRecall(input: RecallInput, profile: Retrieval = {}): RecallRequest {
  const { query, strategy, threshold, rerank, filterMeta = {} } = input;
  checkFilter(filterMeta);
  const search = resolveSearch({ ...input, collection: MEMORY, filterMeta: filterOf(input, filterMeta) }, profile,
    DEFAULT_TOP_K);
  const order = resultOrderOf(input, ['recall', query, strategy, input.alpha,
    strategy === 'semantic' ? undefined : threshold]);
  const diversity = diversityOf(input, strategy === 'semantic' ? 'cosine' : undefined);
  const candidates = candidatesOf(search, order, profile.oversample);
  return {
    ...search,
    strategy,
    threshold,
    rerank,
    order,
    mode: 'parent',
    windowSize: 0,
    isCounted: false,
    fusion: fusionOf(input.alpha, profile),
    candidates: diversity === undefined ? candidates : diverseCandidates(candidates, search.limit),
    diversity,
    passagesPerDocument: undefined,
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
