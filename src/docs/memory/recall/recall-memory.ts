import type { MessageRole, RecallMemoryResponse, RecallStrategy } from '../../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../../errors/index.ts';
import { roundScore } from '../../../lib/rounded.ts';
import type { FusedHit } from '../../../search/fusion/fuse.ts';
import { CONTENT, PLAIN_SEARCH, readyWords, resolveWords, type WordsDeps,
  wordsRetriever } from '../../fulltext/index.ts';
import { costOf } from '../../search-gate.ts';
import { isByVectorsAlone, isByWordsAlone, type RankedDeps, searchRanked,
  type StoredVectors } from '../../search/index.ts';
import { type VectorSearch, vectorsRetriever, type VectorsSide } from '../../vectors/index.ts';
import { MEMORY, type MemoryDeps, type MemoryHandlers } from '../deps.ts';
import { type RecallRequest, resolveRecall } from './request.ts';

/**
 * The vector side. The vector of a query is computed separately, because a search that waits for a provider must not
 * delay others.
 */
export type MeaningSide = VectorsSide & StoredVectors & Pick<VectorSearch, 'isConfigured' | 'encoder' | 'embedQuery'>;

export interface RecallDeps extends MemoryDeps, Pick<RankedDeps, 'gate' | 'columns'> {
  readonly words: WordsDeps;
  /** Absent: nothing can be found by vectors. */
  readonly meaning: { of(collection: string): MeaningSide } | undefined;
}

type Result = RecallMemoryResponse['results'][number];

/** `POST /v1/memory/recall` (decisions section 4.7). */
export function recallMemory(deps: RecallDeps): MemoryHandlers['recallMemory'] {
  return async (input, context) => {
    const { words } = deps;
    const { signal } = context;
    const meaning = deps.meaning?.of(MEMORY);
    const request = withinReach(meaning, resolveRecall(input, deps.collections.configOf(MEMORY)?.retrieval));
    const { query, strategy, threshold, order } = request;
    const isBlank = query.trim() === '';
    const vector = !isBlank && byMeaning(request) ? await meaning!.embedQuery(query, signal, MEMORY) : undefined;
    const documents = isBlank ? undefined : deps.columns.indexOf(MEMORY)?.documents;
    const { answer, warnings } = await searchRanked<Result>({ ...deps, encoder: meaning?.encoder, vectors: meaning }, {
      request: strategy === 'hybrid' ? request : { ...request, fusion: undefined },
      cost: documents === undefined ? undefined : costOf(input, documents),
      rules: [],
      sides: {
        words: byWords(request) ? wordsRetriever(words, await bodiesByWords(words, query, signal)) : undefined,
        vectors: vector && vectorsRetriever(meaning!, deps.sql, {
          ...vector,
          text: order === undefined ? vector.text : undefined,
          collection: MEMORY,
          threshold,
          perDocument: true,
        }, signal),
      },
      show: ({ score, hit }, { document, rank }) => ({
        document,
        rank,
        score: roundScore(score),
        vectorScore: strategy === 'semantic' ? roundScore(Math.max(0, score)) : hit?.meaning?.score ?? 0,
        sessionId: document.meta!['session_id']![0]!,
        role: (document.meta!['role']?.[0] ?? '') as
          | MessageRole
          | '', // a summary is nobody's
        matchStrategy: strategy === 'hybrid' ? foundBy(hit!) : strategy,
      }),
    }, context);
    return { ...answer, strategy, query, ...(warnings.length > 0 && { warnings: [...warnings] }) };
  };
}

/** Without a provider only the lexical side is searched, if the request allows it. */
function withinReach(meaning: MeaningSide | undefined, request: RecallRequest): RecallRequest {
  if (request.strategy === 'keyword' || meaning?.isConfigured()) return request;
  if (request.strategy === 'semantic') throw new ServiceError('invalid_argument', 'embedding provider not configured');
  return { ...request, strategy: 'keyword' };
}

/** A side with weight 0 is not searched. */
function byWords({ strategy, fusion }: RecallRequest): boolean {
  return strategy === 'keyword' || (strategy === 'hybrid' && !isByVectorsAlone(fusion));
}

function byMeaning({ strategy, fusion }: RecallRequest): boolean {
  return strategy === 'semantic' || (strategy === 'hybrid' && !isByWordsAlone(fusion));
}

/** The words of a query in the bodies of messages, by BM25; no character in it is an operator. */
async function bodiesByWords(words: WordsDeps, query: string, signal: AbortSignal) {
  const request = resolveWords(words, {
    ...PLAIN_SEARCH,
    collection: MEMORY,
    query,
    mode: 'simple',
    algorithm: 'bm25',
    rerank: false,
  }, { forPresent: true });
  return readyWords(words, { ...request, fields: [CONTENT] }, signal);
}

function foundBy({ words, meaning }: FusedHit): RecallStrategy {
  return words === undefined ? 'semantic' : meaning === undefined ? 'keyword' : 'hybrid';
}
