import type { OrdSet } from '../../lib/ord-set.ts';
import { Answers, gathered } from '../../search/parts/index.ts';
import { type Algorithm, VectorIndexClosedError } from '../../search/vector/index.ts';

/** What a search for the nearest vectors of a collection wants, of whichever kind they are. */
export interface NearestOptions {
  readonly collection: string;
  /** Number of hits. */
  readonly k: number;
  /** As requested; otherwise what the quantization of the vectors implies, then the server's default. */
  readonly algorithm?: Algorithm | undefined;
  /** Minimum score of a hit. */
  readonly threshold?: number | undefined;
  /** Number of candidates for each hit that are scored exactly; an algorithm has its own default. */
  readonly oversample?: number | undefined;
  /** The only documents that may be found (`eligibleDocuments`); all when absent. */
  readonly eligible?: OrdSet | undefined;
  /** True: one hit for each document, its best passage; otherwise one for each passage. */
  readonly perDocument?: boolean | undefined;
  /**
   * Only passages of present bodies, so that their text can be shown: documents whose vectors were made for another
   * body are left out.
   */
  readonly quotable?: boolean | undefined;
}

/** A document, found by one of its passages. */
export interface NearestHit {
  readonly ord: number;
  /** Number of the passage in its document, from 0. */
  readonly chunk: number;
  /** By the metric; not rounded. */
  readonly score: number;
}

export interface NearestResult {
  /** Best first; equal scores by ordinal, then by passage. Only documents that exist and have not expired. */
  readonly hits: readonly NearestHit[];
  /** The algorithm that was used: `flat` while a structure is being built. */
  readonly algorithm: Algorithm;
  /**
   * Number of documents of the collection whose vectors cannot be compared with the query's: of another model, variant
   * or dimension.
   */
  readonly incomparable: number;
}

export const NOTHING_NEAR: NearestResult = { hits: [], algorithm: 'flat', incomparable: 0 };

/** Maximum number of searches for one request: a search with unusable hits is repeated without them. */
const MAX_ROUNDS = 5;

interface Hits {
  readonly hits: readonly { readonly ord: number }[];
}

/** A search of an index that follows the tables a little later, whose hits are looked up there. */
export interface LookedUpSearch<Found extends Hits> {
  /** Number of hits that are wanted. */
  readonly k: number;
  /** Finds the best without the documents of `excluded`. */
  search(excluded: ReadonlySet<number>): Promise<Found>;
  /** Which of the hits must not be returned. */
  unusable(ords: readonly number[]): Promise<ReadonlySet<number>>;
  /** All documents of which that is known without a search; called once, if a hit was unusable. */
  readonly others?: (() => Promise<readonly number[]>) | undefined;
}

/** The hits that may be returned: the search is repeated until there are enough, or no more. */
export async function usableHits<Found extends Hits>({ k, search, unusable, others }: LookedUpSearch<Found>,
  signal?: AbortSignal): Promise<Found>
{
  const excluded = new Set<number>();
  for (let round = 1;; round++) {
    signal?.throwIfAborted();
    const found = await search(excluded);
    const unusableOnes = await unusable(found.hits.map(({ ord }) => ord));
    const hits = found.hits.filter(({ ord }) => !unusableOnes.has(ord));
    if (unusableOnes.size === 0 || found.hits.length < k || round === MAX_ROUNDS) return { ...found, hits };
    for (const ord of unusableOnes) excluded.add(ord);
    if (round === 1) { for (const ord of await others?.() ?? []) excluded.add(ord); }
  }
}

/**
 * Searches the present index; if a newer one replaced it during the search, that is searched. Where a part of it on
 * another node was replaced, that node is asked again, once.
 */
export async function inPresentIndex<Index, Result>(indexOf: () => Index | undefined,
  search: (index: Index) => Promise<Result>): Promise<Result | undefined>
{
  for (let mayAskAgain = true;;) {
    const index = await gathered(indexOf);
    if (index === undefined) return undefined;
    try {
      return await search(index);
    } catch (error) {
      if (!(error instanceof VectorIndexClosedError)) throw error;
      if (indexOf() !== index) continue;
      const answers = Answers.current;
      if (!mayAskAgain || answers === undefined) throw error;
      mayAskAgain = false;
      answers.forget();
    }
  }
}
