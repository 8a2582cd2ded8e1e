import type { Operations } from '../../../generated/docs/operations.ts';
import type { HybridResult, SearchHybridResponse } from '../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../errors/index.ts';
import { roundScore } from '../../lib/rounded.ts';
import type { AnswerBounds, Handlers } from '../../operations/index.ts';
import { gathered, readEach } from '../../search/parts/index.ts';
import { isCodeDocument, tokenizeCode } from '../../text/code/index.ts';
import { tokenize } from '../../text/tokenize.ts';
import type { Meta } from '../documents/index.ts';
import type { Embeddings, SpaceEmbeddings } from '../embeddings/index.ts';
import { correctSpelling, type FullTextSearch, highlighterOf, readyWords, type WordMatcher, WordMatchers,
  type WordsDeps, wordsRetriever } from '../fulltext/index.ts';
import { costOf } from '../search-gate.ts';
import { type ChosenPassage, isByVectorsAlone, promptOf, type RankedDeps, searchRanked,
  type StoredVectors } from '../search/index.ts';
import { toQueryVector } from '../vector-fields/index.ts';
import { type QueryVector, type VectorSearch, vectorsRetriever, type VectorsSide,
  warningsOf } from '../vectors/index.ts';
import { byWordsAlone, type HybridInput, type HybridRequest, isMeaningWanted, resolveRequest } from './request.ts';

/**
 * The vector side. The vector of a query is computed separately, because a search that waits for a provider must not
 * delay others.
 */
export interface MeaningSide
  extends VectorsSide, StoredVectors,
    Pick<VectorSearch, 'isConfigured' | 'encoder' | 'embedQuery' | 'modelsOf' | 'fields'>
{}

/** The vector side by the field of a collection that is searched, its default one unless it is named. */
export interface MeaningSides {
  of(collection: string, field?: string): MeaningSide;
}

export interface HybridDeps extends Pick<RankedDeps, 'gate'> {
  readonly words: WordsDeps;
  readonly meaning: MeaningSides;
  readonly chunker: Pick<Embeddings, 'of'>;
}

/** `POST /v1/hybrid-search` (contract section 4, "Full-text search"; decisions section 4.5). */
export async function searchHybrid(deps: HybridDeps, given: HybridInput,
  bounds: AnswerBounds): Promise<SearchHybridResponse>
{
  const { signal } = bounds;
  const started = performance.now();
  const { words, gate } = deps;
  const meaning = deps.meaning.of(given.collection, given.vectorField);
  const chunker = deps.chunker.of(given.collection, given.vectorField);
  const { input, request: asked, note } = await correctSpelling(words, given,
    (each: HybridInput) => resolveRequest(words, each), {
    wordsOf: (each) => each.words,
    lang: given.langs?.[0],
    signal,
  });
  const documents = words.columns.indexOf(asked.collection)?.documents;
  const { request, vector, warnings: noVector } = await withVector(meaning, {
    ...asked,
    words: await readyWords(words, asked.words, signal),
  }, signal);
  const { collection, query, mode, windowSize, order, metric, threshold } = request;
  const matchers = await gathered(() => new WordMatchers(request.words.plan, words.view.indexOf(collection)));
  const side = request.fields === undefined ? meaning : meaning.fields!.sideOf(request.fields);
  const found = await searchRanked<HybridResult>({ ...words, gate, encoder: meaning.encoder, vectors: side }, {
    request,
    cost: documents === undefined ? undefined : costOf(input, documents),
    rules: words.curation.rulesOf(collection),
    sides: {
      words: wordsRetriever(words, request.words, { collect: request.isCounted }),
      vectors: vector && vectorsRetriever(side, words.sql, {
        ...vector,
        text: order === undefined ? vector.text : undefined,
        collection,
        metric,
        threshold,
        algorithm: request.vectorAlgorithm,
        perDocument: mode === 'parent',
        // Vectors of former bodies do not describe the documents as they are returned. Those that clients supply are
        // theirs to replace.
        quotable: vector.fields === undefined || mode !== 'parent',
      }, signal),
    },
    rareWord: (hits) =>
      isByVectorsAlone(request.fusion)
        ? undefined
        : rareWordOf(words.view.indexOf(collection), request, [...new Set(hits.map(({ ord }) => ord))]),
    passageOf: (document) =>
      passageByWords(chunker, matchers.of(document), document, mode === 'window' ? windowSize : 0),
    highlightsOf: await gathered(() => highlighterOf(request.words, words.view.indexOf(collection))),
    show: ({ hit, terms, pinned }, { document, ...parts }) => ({
      document,
      combinedScore: roundScore(hit?.score ?? 0, 9),
      ftsScore: hit?.words?.score ?? 0,
      vectorScore: hit?.meaning?.score ?? 0,
      ...(hit?.words && { ftsRank: hit.words.rank }),
      ...(hit?.meaning && { vectorRank: hit.meaning.rank }),
      matchedTerms: [...terms],
      ...(pinned && { pinned }),
      ...parts,
    }),
  }, bounds);
  const warnings = [...noVector, ...warningsOf(found.incomparable, vector), ...found.warnings];
  return {
    ...found.answer,
    ...(input.totals !== 'none' && { totalMatches: found.matches ?? 0 }),
    strategy: request.fusion.strategy === 'rrf' ? 'rrf' : 'alpha',
    alpha: found.alpha ?? request.alpha,
    rrfK: request.rrfK,
    ftsAlgorithm: input.algorithm,
    vectorAlgorithm: found.algorithm ?? request.vectorAlgorithm ?? 'flat',
    distanceMetric: metric,
    retrievalMode: mode,
    ...note,
    ...(warnings.length > 0 && { warnings }),
    searchStats: { durationMs: Math.round(performance.now() - started) },
    ...promptOf(words.collections.configOf(collection)?.responsePrompt, { collection, query }),
  };
}

interface Prepared {
  readonly request: HybridRequest;
  /** Absent: the vector side is not searched. */
  readonly vector: QueryVector | undefined;
  readonly warnings: readonly string[];
}

/**
 * Embeds the query. If that is not possible, only the lexical side is searched (decisions section 4.3, "No provider").
 * Throws `index_loading`.
 */
async function withVector(meaning: MeaningSide, request: HybridRequest, signal: AbortSignal): Promise<Prepared> {
  if (!isMeaningWanted(request)) return { request, vector: undefined, warnings: [] };
  const { fields, queryVector } = request;
  if (fields !== undefined) return { request, vector: toQueryVector(fields), warnings: [] };
  if (queryVector !== undefined) return { request, vector: { vector: queryVector }, warnings: [] };
  const alone = (reason: string): Prepared => ({
    request: byWordsAlone(request),
    vector: undefined,
    warnings: [`${reason}: the words alone decided`],
  });
  if (!meaning.isConfigured()) return alone('embedding provider not configured');
  if ((await gathered(() => meaning.modelsOf(request.collection))).length === 0) {
    return {
      request,
      vector: undefined,
      warnings: ['no document of the collection has vectors: nothing was found by meaning'],
    };
  }
  try {
    return { request, vector: await meaning.embedQuery(request.query, signal, request.collection), warnings: [] };
  } catch (error) {
    signal.throwIfAborted();
    // The provider may have just been removed.
    if (error instanceof ServiceError && (error.code === 'unavailable' || !meaning.isConfigured()))
      return alone(error.message);
    throw error;
  }
}

/**
 * The passage of a body with the most different terms of a query; of several, the one with the most occurrences, then
 * the first one; with `size` neighbours on each side. Undefined for a blank body. For documents that only the lexical
 * side found: the body is split as for embeddings.
 */
function passageByWords(chunker: Pick<SpaceEmbeddings, 'chunksOf'>, matcher: WordMatcher | undefined,
  document: { readonly key: string; readonly meta: Meta; readonly contentMd: string }, size: number
): ChosenPassage | undefined {
  const chunks = chunker.chunksOf(document);
  if (chunks.length === 0) return undefined;
  const tokens = isCodeDocument(document) ? tokenizeCode : tokenize;
  const counts = chunks.map(({ text }) => countMatches(tokens(text), matcher));
  const chunk = counts.reduce((best, count, i) => (isMore(count, counts[best]!) ? i : best), 0);
  const [first, last] = [Math.max(0, chunk - size), Math.min(chunks.length - 1, chunk + size)];
  return {
    chunk,
    start: chunks[first]!.start,
    end: chunks[last]!.end,
    startLine: chunks[first]!.startLine,
    endLine: chunks[last]!.endLine,
  };
}

interface Matches {
  readonly terms: number;
  readonly hits: number;
}

function countMatches(tokens: readonly { readonly form: string }[], matcher: WordMatcher | undefined): Matches {
  const labels = tokens.map(({ form }) => matcher?.match(form)).filter((label) => label !== undefined);
  return { terms: new Set(labels).size, hits: labels.length };
}

function isMore(a: Matches, b: Matches): boolean {
  return a.terms > b.terms || (a.terms === b.terms && a.hits > b.hits);
}

type Index = Pick<NonNullable<ReturnType<HybridDeps['words']['view']['indexOf']>>,
  'documentsOf' | 'documents' | 'matchesExactly'>;
type Request = Pick<HybridRequest, 'words'>;

/** How much rarer the rarest word of a query is than the next, from 0 to 1, and which of some documents have it. */
interface RareWord {
  readonly share: number;
  readonly has: ReadonlySet<number>;
}

/**
 * By how much a document has the one word of a query that is much rarer than the others, from 0 to 1: such a word is
 * probably the name of what is wanted, and neither vectors nor sums over many words give it enough weight.
 */
export function rareWordOf(index: Index | undefined, { words: { plan } }: Request,
  ords: readonly number[]): (ord: number) => number
{
  const found = index === undefined
    ? []
    : readEach(plan.readings, (reading) => inReading(index, reading, ords)).filter((word) => word !== undefined);
  return (ord) => found.reduce((most, { share, has }) => (has.has(ord) ? Math.max(most, share) : most), 0);
}

function inReading(index: Index, { words = [], analyzer }: Request['words']['plan']['readings'][number],
  ords: readonly number[]): RareWord | undefined
{
  const rarities = readEach(words, ({ form }) => ({
    form,
    rarity: rarityOf(index.documentsOf(form, analyzer), index.documents),
  })).filter(({ rarity }) => rarity > 0);
  const [first, second] = rarities.sort((a, b) => b.rarity - a.rarity);
  if (first === undefined || second === undefined) return undefined;
  const has = index.matchesExactly(first.form, analyzer, ords);
  return { share: 1 - second.rarity / first.rarity, has: new Set(ords.filter((_, i) => has[i])) };
}

/** Inverse document frequency, as in BM25; 0 for a word that no document has. */
function rarityOf(documents: number, all: number): number {
  return documents === 0 ? 0 : Math.log(1 + (all - documents + 0.5) / (documents + 0.5));
}

/** Combined lexical and vector search (contract section 4, "Full-text search": `POST /v1/hybrid-search`). */
export interface Hybrid {
  readonly handlers: Required<Pick<Handlers<Operations>, 'searchHybrid'>>;
  /**
   * As `POST /v1/hybrid-search`, for other areas, with the query as it is spelled. It takes its own place in the search
   * gate.
   */
  hybridSearch(input: HybridInput, bounds: AnswerBounds): Promise<SearchHybridResponse>;
}

export interface HybridAreas extends Pick<HybridDeps, 'chunker' | 'gate'> {
  readonly words: Pick<FullTextSearch, 'deps'>;
  readonly vectors: HybridDeps['meaning'];
}

export function createHybrid({ words, vectors, chunker, gate }: HybridAreas): Hybrid {
  const deps: HybridDeps = { words: words.deps, meaning: vectors, chunker, gate };
  return {
    handlers: { searchHybrid: (input, context) => searchHybrid(deps, input, context) },
    hybridSearch: (input, bounds) =>
      searchHybrid({ ...deps, words: { ...words.deps, spelling: undefined } }, input, bounds),
  };
}
