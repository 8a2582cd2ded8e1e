import type { OrdSet } from '../../../lib/ord-set.ts';
import { roundScore } from '../../../lib/rounded.ts';
import { compareTexts } from '../../../search/filter/index.ts';
import { comparePlaces, type SortKey } from '../../../search/order/index.ts';
import { applyCuration, type Curated, type CurationRule, type Pin } from '../../curation/index.ts';
import { curateSearch, isMeant, type PinnedDocument, type ResultRow } from '../../search/index.ts';
import { type Match, type MatchDeps, matchDocuments, type MatchPlace, type MatchScope } from './match-documents.ts';
import type { SearchRequest } from './request.ts';

/** A result before it is presented. */
export interface Found {
  readonly ord: number;
  readonly key: string;
  readonly lang: string;
  readonly score: number;
  readonly row: ResultRow;
  /** Terms of the query that it matches, except those found by edits. */
  readonly terms: ReadonlySet<string>;
  /** Its position in the order of the request, if the request has one. */
  readonly place: MatchPlace | undefined;
}

export interface SearchOutcome {
  readonly results: readonly Curated<Found>[];
  /** Number of documents that match; if it is a lower bound, there may be more. */
  readonly total: number;
  readonly isLowerBound: boolean;
  /** All matching and pinned documents, if facets are counted. */
  readonly all: OrdSet | undefined;
}

/** Finds documents, weights their scores and applies curation. */
export async function findDocuments(deps: MatchDeps, request: SearchRequest, rules: readonly CurationRule[],
  scope: Omit<MatchScope, 'hidden' | 'pinned'>): Promise<SearchOutcome>
{
  const { collection, query, limit, sort, cursor } = request;
  const { rules: applied, hidden, pinned } = await curateSearch(deps, {
    collection,
    query,
    byCursor: cursor !== undefined,
  }, rules);
  const { total, isLowerBound, skipped, found, all } = await matchDocuments(deps, request, {
    ...scope,
    hidden,
    pinned: pinned.map(({ ord }) => ord),
  });
  const offset = request.offset - skipped;
  const organic = [...found.values()].filter(({ score }) => score !== undefined).sort(
    sort === undefined ? byScore : byPlace(sort),
  ).slice(0, offset + limit + pinned.length);
  const curated = applyCuration(query, organic.map(toFound), applied, (pin) => findPinned(pinned, pin, found));
  const outside = curated.filter(({ ord, pinned: isPinned }) => isPinned && found.get(ord)?.score === undefined);
  for (const { ord } of outside) all?.add(ord);
  return { results: curated.slice(offset, offset + limit), total: total + outside.length, isLowerBound, all };
}

function byScore(a: Match, b: Match): number {
  return b.score! - a.score! || a.row.ord - b.row.ord;
}

function byPlace(sort: readonly SortKey[]): (a: Match, b: Match) => number {
  return ({ place: one }, { place: other }) =>
    comparePlaces(one!.place, other!.place, sort) || compareTexts(one!.tie, other!.tie);
}

function toFound({ row, score, terms, place }: Match): Found {
  return { ord: row.ord, key: row.key, lang: row.lang, score: roundScore(score ?? 0), row, terms, place };
}

/** The best document that a pin selects; its score is 0 if it does not match (decisions section 4.5). */
function findPinned(pinned: readonly PinnedDocument[], pin: Pin, found: ReadonlyMap<number, Match>): Found | undefined {
  const meant = pinned.filter((document) => isMeant(document, pin) && found.has(document.ord)).map(({ ord }) =>
    toFound(found.get(ord)!)
  );
  return meant.reduce<Found | undefined>((best, one) => (best === undefined || one.score > best.score ? one : best),
    undefined);
}
