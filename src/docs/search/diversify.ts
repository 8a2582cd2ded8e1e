import { ServiceError } from '../../errors/index.ts';
import { Pace } from '../../lib/pace.ts';
import type { FusedHit } from '../../search/fusion/fuse.ts';
import { gathered, readBoth } from '../../search/parts/index.ts';
import type { Metric, StoredPassage } from '../../search/vector/index.ts';
import type { ModelIdentity } from '../embeddings/index.ts';
import { type Candidate, chooseByMmr } from './mmr.ts';

/** How results are chosen for diversity. */
export interface Diversity {
  /** Weight of relevance against difference: 1 is relevance only. */
  readonly lambda: number;
  /** If scores are similarities by a metric, results are compared by the same one; otherwise undefined. */
  readonly metric: Metric | undefined;
}

/** The vectors of stored documents, with which results are compared. */
export interface StoredVectors {
  /** The models of documents' vectors, in their order; undefined for one that has none. Throws `index_loading`. */
  documentModels(collection: string, ords: readonly number[]): readonly (ModelIdentity | undefined)[];
  /** The vectors of passages as they are stored, in their order (`VectorReader`). Throws `index_loading`. */
  passageVectors(collection: string, passages: readonly StoredPassage[]): readonly (Float32Array | undefined)[];
}

interface DiverseInput {
  readonly mmr: boolean;
  readonly mmrLambda: number;
  readonly sort?: string | undefined;
  readonly cursor?: string | undefined;
}

/** Undefined if the request does not ask for diversity. Throws `invalid_argument` if it asks for an order, too. */
export function diversityOf({ mmr, mmrLambda: lambda, sort, cursor }: DiverseInput, metric?: Metric): Diversity
  | undefined
{
  if (!mmr) return undefined;
  if (sort !== undefined || cursor !== undefined)
    throw new ServiceError('invalid_argument',
      'mmr must not come with sort or cursor: it chooses results in an order of its own');
  return { lambda, metric };
}

/** Maximum number of comparisons between candidates, each of which takes a fraction of a microsecond. */
const MAX_COMPARISONS = 4_000_000;
/** Maximum bytes of candidates that are compared with each other. */
const MAX_COMPARED_BYTES = 64 * 2 ** 20;

/** The number of candidates from which `limit` results are chosen: at most `wanted`, and enough for one page. */
export function diverseCandidates(wanted: number, limit: number): number {
  return Math.max(limit, Math.min(wanted, Math.floor(MAX_COMPARISONS / limit)));
}

/** Number of hits whose vectors are read in one step. */
const STEP = 512;

/** Hits in the order in which they were chosen. */
export interface DiverseHits {
  readonly hits: readonly FusedHit[];
  /** Number of hits that have vectors to compare. */
  readonly compared: number;
}

/**
 * Chooses the first `count` hits for diversity; the rest follows in its order. A hit that words alone have found is
 * compared by the mean of its document's vectors. One without vectors, or with those of another model than most hits,
 * counts as different from all.
 */
export async function diversify(stored: StoredVectors, collection: string, { lambda, metric }: Diversity,
  hits: readonly FusedHit[], count: number): Promise<DiverseHits>
{
  const vectors = await vectorsOf(stored, collection, hits, count);
  const compared = vectors.filter((vector) => vector !== undefined).length;
  if (compared === 0) return { hits, compared };
  const best = metric === undefined ? hits.reduce((max, { score }) => Math.max(max, score), 0) || 1 : 1;
  const candidates = hits.slice(0, vectors.length).map((hit, i): Candidate & { readonly hit: FusedHit } => ({
    hit,
    score: hit.score / best,
    vector: vectors[i],
  }));
  const chosen = await chooseByMmr(candidates, { lambda, metric: metric ?? 'cosine', k: count });
  const first = new Set(chosen.map(({ hit }) => hit));
  return { hits: [...first, ...hits.filter((hit) => !first.has(hit))], compared };
}

/** The vectors of the first hits, as many as may be compared. */
async function vectorsOf(stored: StoredVectors, collection: string, hits: readonly FusedHit[],
  count: number): Promise<readonly (Float32Array | undefined)[]>
{
  const passages = hits.map(({ ord, chunk }): StoredPassage => ({ ord, chunk }));
  const read = (from: number) => stored.passageVectors(collection, passages.slice(from, from + STEP));
  // Both at once, because each may be a question to other nodes.
  const [models, first] = await gathered(() =>
    readBoth(() => stored.documentModels(collection, hits.map(({ ord }) => ord)), () => read(0))
  );
  const names = models.map(nameOf);
  const [usual] = [...Map.groupBy(names.filter((name) => name !== ''), (name) => name)].sort(([, a], [, b]) =>
    b.length - a.length
  );
  if (usual === undefined) return [];
  const pace = new Pace();
  const vectors: (Float32Array | undefined)[] = [];
  const isEnough = (bytes: number): boolean => vectors.length >= count && bytes >= MAX_COMPARED_BYTES;
  for (let bytes = 0, from = 0; from < hits.length && !isEnough(bytes); from += STEP) {
    for (const vector of from === 0 ? first : await gathered(() => read(from))) {
      if (isEnough(bytes)) break;
      // Vectors may have changed meanwhile.
      const compared = names[vectors.length] === usual[0] ? vector : undefined;
      vectors.push(compared);
      bytes += compared?.byteLength ?? 0;
    }
    await pace.rest();
  }
  return vectors;
}

function nameOf(model: ModelIdentity | undefined): string {
  return model === undefined ? '' : JSON.stringify([model.model, model.variant, model.dimensions]);
}
