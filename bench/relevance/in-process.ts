import { type PlanOptions, planQuery, type Reading } from '../../src/docs/fulltext/search/query-plan.ts';
import { termAnalyzer } from '../../src/docs/fulltext/view/analyzers.ts';
import { PROSE_CLASSES } from '../../src/docs/fulltext/view/document-classes.ts';
import { relevantHits, relevantTerms, rescored, takesFeedback } from '../../src/docs/fulltext/view/feedback.ts';
import { toRerankings, toWeights } from '../../src/docs/fulltext/view/field-weights.ts';
import { toScoring } from '../../src/docs/fulltext/view/readable-text-index.ts';
import type { Algorithm } from '../../src/docs/fulltext/view/text-index.ts';
import { toIndexQuery } from '../../src/docs/fulltext/view/to-index-query.ts';
import { toIndexed } from '../../src/docs/fulltext/view/to-indexed.ts';
import { type FieldText, type Hit, InvertedIndex, RERANKED, type RerankWeights, type ScoringAlgorithm,
  weightsFor } from '../../src/search/inverted/index.ts';
import { defaultStopWords, resolveLanguage } from '../../src/text/languages/index.ts';
import type { Rankings } from './quire.ts';

/** How words may differ from those of a query; not at all by default. */
export type Leniency = Partial<Pick<PlanOptions, 'fuzzy' | 'prefix'>>;

/** A candidate for reranking: its score before reranking, and its features. */
export interface Candidate {
  readonly id: string;
  readonly score: number;
  readonly features: Float32Array;
}

/**
 * A full-text index of the service in this process, without a database; used for fitting, which runs thousands of
 * queries.
 */
export class IndexInProcess {
  readonly #index = new InvertedIndex();
  readonly #ids: string[] = [];
  readonly #texts: string[] = [];
  readonly #lang: string;

  /** All documents and queries are of one language, which may be any tag. */
  constructor(documents: Iterable<{ readonly id: string; readonly title: string; readonly text: string }>,
    lang = 'en')
  {
    this.#lang = resolveLanguage(lang, 'en');
    const analyzer = termAnalyzer(this.#lang, true);
    for (const { id, title, text } of documents) {
      const meta: Record<string, string[]> = title === '' ? {} : { title: [title] };
      const { ord, documentClass, fields, named } = toIndexed({
        ord: this.#ids.push(id) - 1,
        key: id,
        lang: this.#lang,
        meta,
        contentMd: text,
      }, analyzer);
      const texts = [...fields.entries(), ...named].flatMap(([field, values]): FieldText[] =>
        values.map((value) => ({ field, text: value }))
      );
      this.#texts.push(`${title}\n${text}`);
      this.#index.add(ord, texts, analyzer, documentClass);
    }
  }

  /** Bytes of the index. */
  get bytes(): number {
    return this.#index.stats().bytes.total;
  }

  /** Ids of the best documents of a query in simple mode. */
  rank(query: string, algorithm: Algorithm, limit: number, rerank = true, leniency: Leniency = {}): string[] {
    const readings = readingsOf(query, this.#lang, leniency);
    const scoring = toScoring(algorithm, toWeights());
    const { hits } = this.#index.search(toIndexQuery(this.#index, readings), {
      algorithm: scoring,
      limit: Math.max(limit, RERANKED),
      ...(rerank && { rerank: toRerankings(this.#index, readings) }),
    });
    const ranked = rerank ? this.#withFeedback(readings, hits, scoring) : hits;
    return ranked.slice(0, limit).map(({ ord }) => this.#ids[ord]!);
  }

  #withFeedback(readings: readonly Reading[], hits: readonly Hit[], scoring: ScoringAlgorithm): readonly Hit[] {
    const feedback = readings.filter((reading) => takesFeedback(reading, this.#ids.length)).map((reading) => {
      const relevant = relevantHits(this.#index, reading, hits).map(({ ord, score }) => ({
        text: this.#texts[ord]!,
        score,
      }));
      return {
        classes: reading.classes,
        analyzer: reading.analyzer,
        terms: relevantTerms(this.#index, reading, relevant),
      };
    });
    return feedback.length === 0 ? hits : rescored(this.#index, hits, feedback, scoring);
  }

  /** Whether reranking takes a query for a name or a question. */
  kindOf(query: string): keyof RerankWeights {
    return weightsFor(toRerankings(this.#index, readingsOf(query, this.#lang))[0]?.words ?? []);
  }

  /** The candidates that reranking puts into a better order. */
  candidates(query: string, algorithm: Algorithm): Candidate[] {
    const readings = readingsOf(query, this.#lang);
    const { hits } = this.#index.search(toIndexQuery(this.#index, readings), {
      algorithm: toScoring(algorithm, toWeights()),
      limit: RERANKED,
    });
    const [reranking] = toRerankings(this.#index, readings);
    const features = this.#index.features(reranking?.words ?? [], hits.map(({ ord }) => ord));
    const width = features.length / Math.max(1, hits.length);
    return hits.map(({ ord, score }, i) => ({
      id: this.#ids[ord]!,
      score,
      features: features.slice(i * width, (i + 1) * width),
    }));
  }

  rankings(queries: Iterable<{ readonly id: string; readonly text: string }>, algorithm: Algorithm, limit: number,
    rerank = true, leniency: Leniency = {}): Rankings
  {
    return new Map(Array.from(queries, ({ id, text }) => [id, this.rank(text, algorithm, limit, rerank, leniency)]));
  }
}

function readingsOf(query: string, lang: string, leniency: Leniency = {}) {
  return planQuery(query, {
    mode: 'simple',
    distance: 0,
    fuzzy: 0,
    ...leniency,
    stemming: true,
    synonymsOf: undefined,
    languages: [{ lang, stopWords: defaultStopWords(lang), classes: PROSE_CLASSES }],
  }).readings;
}
