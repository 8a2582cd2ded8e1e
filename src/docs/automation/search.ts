import { unixSeconds } from '../../lib/clock.ts';
import { OrdSet } from '../../lib/ord-set.ts';
import { Pace } from '../../lib/pace.ts';
import { AnswerBudget } from '../../operations/index.ts';
import { gathered } from '../../search/parts/index.ts';
import { inList } from '../../storage/index.ts';
import type { Documents } from '../documents/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import { PLAIN_SEARCH, readyWords, resolveWords, textQuery, withCompounds, type WordsDeps,
  type WordsRequest } from '../fulltext/index.ts';
import type { Hybrid } from '../hybrid/index.ts';
import { eligibleDocuments, expressionOf, readRows } from '../search/index.ts';
import { COLLECTION_ID } from '../stored-collections.ts';
import type { Vectors } from '../vectors/index.ts';
import { type Conditions, hasQuery, isSentimentEnough, leastScore, type Match, satisfied } from './rule.ts';
import { type Lexicon, sentimentOf } from './sentiment.ts';

/** Number of matches of one collection that are examined, the best first. */
const MAX_MATCHES = 10_000;
/** Maximum number of results of one hybrid search. */
const MAX_HYBRID = 1000;
const DEFAULT_ALPHA = 0.5;
const DEFAULT_RRF_K = 60;

export interface RuleSearchDeps {
  readonly environment: Pick<DocsEnvironment, 'sql' | 'clock'>;
  readonly words: WordsDeps;
  readonly vectors: Pick<Vectors, 'of'> & {
    readonly view: Pick<Vectors['view'], 'caughtUp'>;
  };
  readonly hybrid: Pick<Hybrid, 'hybridSearch'>;
  readonly readDocument: Documents['readDocument'];
  readonly lexicon: () => Lexicon;
}

/** A document by its ordinal and its score. */
interface Hit {
  readonly ord: number;
  readonly score: number;
}

/** The scope of a rule's search. */
interface Scope {
  readonly collection: string;
  /** The only documents that may be found; undefined for all. */
  readonly eligible: OrdSet | undefined;
  /** Number of hits. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** Whether a rule searches the documents that there are, or waits for those that may come. */
type For = { readonly forPresent: true } | { readonly forAny: true };

/**
 * A rule's request to full-text search, with `bm25` unless the rule names an algorithm. Throws `invalid_argument` for
 * an invalid query.
 */
export function wordsOf(words: WordsDeps, { query, searchParams = {} }: Pick<Conditions, 'query' | 'searchParams'>,
  collection: string, documents: For): WordsRequest
{
  const { algorithm = 'bm25', filterMeta } = searchParams;
  return resolveWords(words, {
    ...PLAIN_SEARCH,
    collection,
    query,
    algorithm,
    rerank: false,
    filterMeta,
  }, documents);
}

/** Documents of a collection that satisfy a rule now, best first. Throws the errors of searches. */
export async function matchesOf(deps: RuleSearchDeps, conditions: Conditions, collection: string,
  signal: AbortSignal): Promise<Match[]>
{
  const eligible = await eligibleOf(deps, conditions, collection);
  const limit = conditions.searchParams?.topK ?? MAX_MATCHES;
  const hits = hasQuery(conditions)
    ? (await search(deps, conditions, { collection, eligible, limit, signal })).filter(({ score }) =>
      score >= leastScore(conditions)
    )
    : [];
  const scores = new Map<number, number | undefined>(hits.map(({ ord, score }) => [ord, score]));
  if (isSentimentEnough(conditions)) {
    for (const ord of await ordsOf(deps, collection, eligible)) if (!scores.has(ord)) scores.set(ord, undefined);
  }
  const rows = await readRows(deps.environment.sql, [...scores.keys()], { withBodies: false, mostBytes: 0 });
  const matches: Match[] = [];
  const pace = new Pace();
  for (const [ord, score] of scores) {
    signal.throwIfAborted();
    await pace.rest();
    const row = rows.get(ord);
    if (row === undefined) continue;
    const { id: docId, key, lang } = row;
    const document = conditions.sentimentEnabled ? await deps.readDocument({ collection, key, lang }) : undefined;
    if (conditions.sentimentEnabled && document === undefined) continue;
    const match = satisfied(conditions, score, () => sentimentOf(document!.contentMd, deps.lexicon()));
    if (match !== undefined) matches.push({ docId, collection: collection.toLowerCase(), key, lang, ...match });
  }
  return matches;
}

/**
 * The score of one document in a rule's search over its collection; undefined when the search does not find it. Throws
 * the errors of searches.
 */
export async function scoreOf(deps: RuleSearchDeps, conditions: Conditions, collection: string, ord: number,
  signal: AbortSignal): Promise<number | undefined>
{
  if (!hasQuery(conditions)) return undefined;
  const eligible = await eligibleOf(deps, conditions, collection);
  if (eligible?.has(ord) === false) return undefined;
  const { topK } = conditions.searchParams ?? {};
  // Only a search over all documents can tell whether it is among the best.
  const scope = topK === undefined && conditions.searchType !== 'hybrid'
    ? { eligible: OrdSet.of([ord]), limit: 1 }
    : { eligible, limit: topK ?? MAX_HYBRID };
  return (await search(deps, conditions, { collection, ...scope, signal })).find((hit) => hit.ord === ord)?.score;
}

/**
 * An upper bound of the score of a document in a rule's hybrid search, from its vectors and from whether it may contain
 * words of the query. This costs a small part of the search, which is skipped if the bound is below the threshold. For
 * fusion by ranks, the only bound is 1.
 */
export async function hybridBound(deps: RuleSearchDeps, conditions: Conditions, collection: string,
  { ord, mayHaveWords }: { readonly ord: number; readonly mayHaveWords: boolean }, signal: AbortSignal): Promise<number>
{
  const { strategy = 'alpha', alpha = DEFAULT_ALPHA } = conditions.searchParams ?? {};
  if (strategy !== 'alpha' || !deps.vectors.of(collection).isConfigured()) return 1;
  const [hit] = await byVector(deps, { ...conditions, searchParams: {} }, {
    collection,
    eligible: OrdSet.of([ord]),
    limit: 1,
    signal,
  });
  return (mayHaveWords ? 1 - alpha : 0) + alpha * Math.min(1, Math.max(0, hit?.score ?? 0));
}

/** The documents of a collection that pass the rule's filter and have not expired; undefined for all. */
async function eligibleOf({ environment: { clock }, words }: RuleSearchDeps, { searchParams }: Conditions,
  collection: string): Promise<OrdSet | undefined>
{
  const filterMeta = searchParams?.filterMeta;
  const { documents } = await eligibleDocuments({ clock, columns: words.columns }, collection, {
    filter: filterMeta && expressionOf({ filterMeta }),
  });
  return documents;
}

type Search = (deps: RuleSearchDeps, conditions: Conditions, scope: Scope) => Promise<readonly Hit[]>;

const search: Search = (deps, conditions, scope) =>
  ({ fts: byWords, vector: byVector, hybrid: byBoth })[conditions.searchType](deps, conditions, scope);

const byWords: Search = async ({ words }, conditions, { collection, eligible, limit, signal }) => {
  const asked = await withCompounds(words.view, () => wordsOf(words, conditions, collection, { forPresent: true }),
    (request) => request);
  const query = { ...textQuery(await readyWords(words, asked, signal), eligible), limit, totals: 'none' as const };
  return gathered(() => words.view.indexOf(collection)?.search(query).hits ?? []);
};

const byVector: Search = async ({ vectors }, { query, searchParams }, { collection, eligible, limit, signal }) => {
  const search = vectors.of(collection);
  if (!search.isConfigured()) return [];
  const vector = await search.embedQuery(query, signal);
  const { hits } = await search.searchByVector({
    ...vector,
    collection,
    k: limit,
    algorithm: searchParams?.vectorAlgorithm ?? 'flat',
    perDocument: true,
    eligible,
  }, signal);
  return hits;
};

/**
 * A document's score depends on the other results, so the best results of the whole collection are requested. Scores by
 * ranks are scaled to the range from 0 to 1.
 */
const byBoth: Search = async ({ hybrid, environment: { sql } }, { query, searchParams = {} },
  { collection, eligible, limit, signal }) =>
{
  const { algorithm = 'bm25', vectorAlgorithm = 'flat', strategy = 'alpha', alpha = DEFAULT_ALPHA, rrfK = DEFAULT_RRF_K,
    filterMeta } = searchParams;
  const { results } = await hybrid.hybridSearch({
    ...PLAIN_SEARCH,
    collection,
    query,
    algorithm: algorithm === 'tfidf' ? 'bm25' : algorithm,
    vectorAlgorithm,
    strategy,
    alpha,
    rrfK,
    limit: Math.min(limit, MAX_HYBRID),
    threshold: 0,
    distanceMetric: 'cosine',
    sort: 'combined',
    retrievalMode: 'parent',
    windowSize: 1,
    totals: 'none',
    filterMeta,
  }, { signal, budget: new AnswerBudget() });
  // The best score by ranks is 2/(k + 1); hybrid search returns rounded scores.
  const scaled = (
    score: number,
  ): number => (strategy === 'rrf' ? Math.min(1, Math.round(score * (rrfK + 1) * 5000) / 10_000) : score);
  const organic = results.filter(({ pinned }) => pinned !== true);
  const ords = await ordsOfIds(sql, organic.map(({ document }) => document.id!));
  return organic.flatMap(({ document, combinedScore }) => {
    const ord = ords.get(document.id!);
    return ord === undefined || eligible?.has(ord) === false ? [] : [{ ord, score: scaled(combinedScore) }];
  });
};

async function ordsOfIds(sql: DocsEnvironment['sql'], ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const { marks, params } = inList(ids);
  const rows = await sql.all<{ id: string; ord: number }>(`SELECT id, ord FROM documents WHERE id IN (${marks})`,
    params);
  return new Map(rows.map(({ id, ord }) => [id, ord]));
}

async function ordsOf({ environment: { sql, clock } }: RuleSearchDeps, collection: string,
  eligible: OrdSet | undefined): Promise<number[]>
{
  if (eligible !== undefined) return [...eligible].slice(0, MAX_MATCHES);
  const rows = await sql.all<{ ord: number }>(
    `SELECT ord FROM documents WHERE cid = ${COLLECTION_ID} AND (expires_at IS NULL OR expires_at > ?) ORDER BY ord ` +
      'LIMIT ?',
    [collection.toLowerCase(), unixSeconds(clock), MAX_MATCHES],
  );
  return rows.map(({ ord }) => ord);
}
