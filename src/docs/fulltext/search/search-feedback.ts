import { RERANKED } from '../../../search/inverted/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import { textsOf } from '../view/document-texts.ts';
import { type Feedback, relevantHits, type RelevantText, takesFeedback } from '../view/feedback.ts';
import type { FullTextView } from '../view/fulltext-view.ts';
import type { TextHit } from '../view/text-index.ts';
import type { Reading } from './query-plan.ts';
import type { SearchRequest } from './request.ts';

interface FeedbackDeps extends Pick<DocsEnvironment, 'sql' | 'codec'> {
  readonly view: Pick<FullTextView, 'indexOf'>;
}

/** A longer document is about too many things, and takes long to read. */
const MOST_BYTES = 256 * 1024;

/**
 * Reranks the best matches of a long query: the two best documents are taken as relevant, and their characteristic
 * terms add to the scores of the others (pseudo-relevance feedback). The terms are chosen once for a search.
 */
export class SearchFeedback {
  readonly #request: SearchRequest;
  readonly #readings: readonly Reading[];
  #feedback: readonly Feedback[] | undefined;

  private constructor(request: SearchRequest, readings: readonly Reading[]) {
    this.#request = request;
    this.#readings = readings;
  }

  /** Undefined if the order must not change, or the query is short. */
  static of(request: SearchRequest): SearchFeedback | undefined {
    if (!request.rerank || request.sort !== undefined) return undefined;
    const readings = request.plan.readings.filter(takesFeedback);
    return readings.length === 0 ? undefined : new SearchFeedback(request, readings);
  }

  /** Number of hits that `improve` needs when `wanted` hits are returned. */
  limit(wanted: number): number {
    return Math.max(wanted, RERANKED);
  }

  /** The best hits in their new order. `factors`: by which the hits' scores were multiplied, by ordinal. */
  async improve(deps: FeedbackDeps, hits: readonly TextHit[],
    factors: Float32Array | undefined): Promise<readonly TextHit[]>
  {
    const { collection } = this.#request;
    if (hits.length === 0) return hits;
    this.#feedback ??= await this.#learn(deps, hits);
    const index = deps.view.indexOf(collection);
    return index === undefined || this.#feedback.length === 0
      ? hits
      : index.rescore(hits, this.#feedback, { ...this.#request, ...(factors && { factors }) });
  }

  async #learn({ sql, codec, view }: FeedbackDeps, hits: readonly TextHit[]): Promise<Feedback[]> {
    const index = view.indexOf(this.#request.collection);
    if (index === undefined) return [];
    const best = this.#readings.map((reading) => relevantHits(index, reading, hits));
    const texts = new Map<number, string>();
    for await (const { ord, meta, contentMd } of textsOf(sql, codec, best.flat().map(({ ord }) => ord), MOST_BYTES))
      texts.set(ord, [...meta.title ?? [], contentMd].join('\n'));
    return this.#readings.map((reading, i): Feedback => {
      const documents = best[i]!.flatMap((
        { ord, score },
      ): RelevantText[] => (texts.has(ord) ? [{ text: texts.get(ord)!, score }] : []));
      return { classes: reading.classes, analyzer: reading.analyzer, terms: index.relevantTerms(reading, documents) };
    }).filter(({ terms }) => terms.length > 0);
  }
}
