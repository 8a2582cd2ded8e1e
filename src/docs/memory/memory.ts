import type { Collections } from '../collections/index.ts';
import { createSealers, type Sweep } from '../documents/index.ts';
import type { Embeddings } from '../embeddings/index.ts';
import type { DocsEnvironment } from '../environment.ts';
import type { FullTextSearch } from '../fulltext/index.ts';
import { MEMORY, type MemoryHandlers } from './deps.ts';
import { addMessage, getSessionHistory } from './messages.ts';
import { type RecallDeps, recallMemory } from './recall/recall-memory.ts';
import { deleteSession, listSessions, startSession, sweepSessions, withholdTitles } from './sessions.ts';
import { summarizeSession } from './summarize-session.ts';

/** Conversations: sessions, their messages, and recall of them (contract section 2, "Memory resources"). */
export interface Memory {
  readonly handlers: MemoryHandlers;
  /** Removes expired sessions. Not for followers and read-only servers. */
  readonly sweep: Sweep;
  /** Removes quotations of messages from titles, when a collection was encrypted. */
  withhold(collection: string, signal: AbortSignal): Promise<void>;
}

/**
 * Dependencies of conversations on other areas. `configOf` and `describe` are called at each request, so both must
 * return from memory.
 */
interface MemoryAreas {
  readonly collections: Pick<Collections, 'configOf'>;
  readonly embeddings: Pick<Embeddings, 'embeddingCapacity' | 'describe'>;
  readonly words: Pick<FullTextSearch, 'deps'>;
  /** Absent: recall uses only full-text search. */
  readonly meaning?: RecallDeps['meaning'];
  readonly gate: RecallDeps['gate'];
  readonly columns: RecallDeps['columns'];
}

/** Default language of messages. */
const DEFAULT_LANG = 'en';

export function createMemory(environment: DocsEnvironment,
  { collections, embeddings, words, meaning, gate, columns }: MemoryAreas): Memory
{
  const { sql, feed, codec, clock, log, settings } = environment;
  const deps: RecallDeps = {
    sql,
    feed,
    codec,
    clock,
    collections,
    words: words.deps,
    meaning,
    gate,
    columns,
    embeddingCapacity: embeddings.embeddingCapacity,
    sealerOf: createSealers(environment.keys, collections),
    isEmbedding: () => embeddings.describe().vectors.enabled,
    lang: settings.fullText?.defaultLang ?? DEFAULT_LANG,
  };
  return {
    handlers: {
      startSession: startSession(deps),
      addMessage: addMessage(deps),
      recallMemory: recallMemory(deps),
      summarizeSession: summarizeSession(deps),
      listSessions: listSessions(deps),
      getSessionHistory: getSessionHistory(deps),
      deleteSession: deleteSession(deps),
    },
    async sweep(signal) {
      const removed = await sweepSessions(deps, signal);
      if (removed > 0) log.info({ removed }, 'expired sessions removed');
      return removed;
    },
    async withhold(collection, signal) {
      if (collection === MEMORY) await withholdTitles(deps, signal);
    },
  };
}
