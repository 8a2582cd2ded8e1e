import { applyCuration, type Curated, type CurationRule, type Pin } from '../../curation/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import type { OrdSet } from '../view/ord-set.ts';
import type { TextIndex } from '../view/text-index.ts';
import { boostFactors } from './boost-factors.ts';
import { curatedDocuments, isMeant, type PinnedDocument } from './curate.ts';
import { eligibleDocuments, queriesFor, type CollectionRow } from './eligible-documents.ts';
import { readRows, type ResultRow } from './result-rows.ts';
import type { SearchRequest } from './request.ts';

type Environment = Pick<DocsEnvironment, 'sql' | 'clock'>;

/** A result before it is shown. */
export interface Found {
  readonly ord: number;
  readonly key: string;
  readonly lang: string;
  readonly score: number;
  readonly row: ResultRow;
}

export interface SearchOutcome {
  readonly results: readonly Curated<Found>[];
  readonly total: number;
  /** Everything that matches or is pinned, where facets are to be counted. */
  readonly all: OrdSet | undefined;
}

/** Finds, weighs and curates; `withBodies` says whether the rows of results carry their bodies. */
export async function findDocuments(
  environment: Environment, index: TextIndex, collection: CollectionRow, request: SearchRequest, rules: readonly CurationRule[], withBodies: boolean,
): Promise<SearchOutcome> {
  const { plan, query, algorithm, fieldWeights, filterMeta, ranges, limit } = request;
  const { hidden, pinned } = await curatedDocuments(environment, request.collection.toLowerCase(), query, rules);
  const filter = await eligibleDocuments(environment, collection, { filterMeta, ranges, hidden });
  const factors = await boostFactors(queriesFor(environment.sql, collection), collection.id, request.boost);
  const collect = request.facetBy !== undefined;
  const { total, hits, matches, looked } = index.search({
    root: plan.root, analyzer: plan.analyzer, algorithm, fieldWeights, collect,
    // What is pinned leaves a gap behind among the best.
    limit: limit + pinned.length,
    look: pinned.map(({ ord }) => ord),
    ...(filter && { filter }), ...(factors && { factors }),
  });
  const scores = new Map<number, number>(hits.map(({ ord, score }) => [ord, score]));
  for (const [i, { ord }] of pinned.entries()) {
    const score = looked[i];
    if (score !== undefined && filter?.has(ord) !== false) scores.set(ord, score * (factors?.[ord] ?? 1));
  }
  const rows = await readRows(environment.sql, [...new Set([...hits.map(({ ord }) => ord), ...pinned.map(({ ord }) => ord)])], withBodies);
  const organic = hits.flatMap(({ ord }) => toFound(rows.get(ord), scores));
  const curated = applyCuration(query, organic, rules, (pin) => findPinned(pinned, pin, rows, scores));
  const outside = curated.filter(({ ord, pinned: isPinned }) => isPinned && !scores.has(ord));
  for (const { ord } of outside) matches?.add(ord);
  return { results: curated.slice(0, limit), total: total + outside.length, all: matches };
}

/** Nothing for a document that went between search and reading. */
function toFound(row: ResultRow | undefined, scores: ReadonlyMap<number, number>): Found[] {
  return row === undefined ? [] : [{ ord: row.ord, key: row.key, lang: row.lang, score: round(scores.get(row.ord) ?? 0), row }];
}

/** The best document that a pin means; with a score of 0 where it does not match (decisions section 4.5). */
function findPinned(pinned: readonly PinnedDocument[], pin: Pin, rows: ReadonlyMap<number, ResultRow>, scores: ReadonlyMap<number, number>): Found | undefined {
  const meant = pinned.filter((document) => isMeant(document, pin)).flatMap(({ ord }) => toFound(rows.get(ord), scores));
  return meant.reduce<Found | undefined>((best, one) => (best === undefined || one.score > best.score ? one : best), undefined);
}

/** Scores have single precision: further digits would be noise. */
function round(score: number): number {
  return Number(score.toPrecision(8));
}
