import type { OperationId } from '../../generated/docs/operations.ts';
import { Inexpressible, type Input } from './driver.ts';

/** How one operation is expressed in GraphQL (decisions, section 4.13). */
export interface GraphqlOperation {
  readonly field: string;
  /** Returns the field's arguments; if absent, the input is used unchanged. */
  readonly args?: (input: Input) => Input;
  /** Returns the field's result for that of REST; if absent, they are equal. */
  readonly view?: (value: never, input: Input) => unknown;
  /** The result if REST returns 404, for fields for which that is not an error. */
  readonly absent?: null | false;
}

type Meta = Readonly<Record<string, readonly string[]>>;
type Rest = Readonly<Record<string, unknown>>;
type Found = { readonly results: readonly Rest[]; readonly total: number };

export const GRAPHQL: Readonly<Partial<Record<OperationId, GraphqlOperation>>> = {
  getDocument: { field: 'document', view: document, absent: null },
  searchDocuments: {
    field: 'search',
    args: (input) => ({ input: withList(withoutContent(input), 'filterMeta') }),
    view: connection,
  },
  addDocument: { field: 'addDocument', args: (input) => ({ input: withList(input, 'meta') }), view: document },
  updateDocument: { field: 'updateDocument', args: (input) => ({ input: withList(input, 'meta') }), view: document },
  deleteDocument: { field: 'deleteDocument', view: () => true, absent: false },
  listRevisions: {
    field: 'revisions',
    args: withoutContent,
    view: (list: Rest) => complete(list, ['deletedAt', 'nextOffset'], { truncated: false }),
    absent: null,
  },
  restoreRevision: { field: 'restoreRevision', view: document },
  autocomplete: { field: 'autocomplete' },
  aggregateDocuments: {
    field: 'aggregateDocuments',
    args: (input) => ({ input: withList(input, 'filterMeta') }),
    view: (counts: Rest) => complete(counts, ['geohashes'], { facetsTruncated: false }),
  },
  deleteCollection: { field: 'deleteCollection', view: ({ deleted }: Rest) => deleted },
  setDocumentTtl: { field: 'setTTL', view: document },
  addDocuments: {
    field: 'addBatch',
    args: withDocuments,
    view: ({ added, updated, failed, errors, embeddingDropped = null }: Rest) => ({
      added,
      updated,
      failed,
      errors,
      embeddingDropped,
    }),
  },
  ingestDocuments: {
    field: 'ingestDocuments',
    args: withDocuments,
    view: (
      { keyCollisions, profile = null, added, updated, skipped, failed, errors, collection, durationMs }: Rest,
    ) => ({
      added,
      updated,
      skipped,
      failed,
      errors,
      collection,
      durationMs,
      profile,
      keyCollisions: (keyCollisions as { lang: string; keys: string[]; urls?: string[] }[]).map((
        { lang, keys, urls },
      ) => `${lang}: ${keys.join(', ')}${urls === undefined ? '' : ` (${urls.join(', ')})`}`),
    }),
  },
  searchFullText: {
    field: 'fts',
    args: (input) => ({ input: withNames(withoutContent(withList(input, 'filterMeta'))) }),
    view: ({ results, ...answer }: Found & Rest) => ({
      ...complete(answer, ['totalMatches', 'facets', 'spellCorrected', 'responsePrompt', 'nextCursor'], {
        totalIsLowerBound: false,
        facetsTruncated: false,
        suggestions: [],
        droppedWords: [],
        warnings: [],
      }),
      ...ending(answer as Ending),
      results: results.map((result) => ({ ...found({ pinned: false, ...result }, []), ...marked(result) })),
    }),
  },
  searchVectors: { field: 'vectorSearch', args: similarityArgs, view: nearest },
  findSimilar: { field: 'similar', args: similarityArgs, view: nearest },
  searchHybrid: {
    field: 'hybridSearch',
    args: (input) => ({ input: withNames({ includeContent: false, ...withList(input, 'filterMeta') }) }),
    view: ({ results, ...answer }: Found & Rest) => ({
      ...complete(answer, ['totalMatches', 'retrievalMode', 'facets', 'spellCorrected', 'responsePrompt', 'reranked',
        'nextCursor'], {
        facetsTruncated: false,
        warnings: [],
      }),
      ...ending(answer as Ending),
      results: results.map((result) => ({
        ...found({ pinned: false, ...result }, [...PASSAGE, 'ftsRank', 'vectorRank', 'distanceMeters']),
        ...marked(result),
      })),
    }),
  },
  recallMemory: {
    field: 'recall',
    args: (input) => ({ input: { includeContent: false, ...withList(input, 'filterMeta') } }),
    view: ({ results, ...answer }: Found & Rest) => ({
      ...complete(answer, ['reranked', 'nextCursor'], { warnings: [] }),
      ...ending(answer as Ending),
      results: results.map((result) => found(result, [])),
    }),
  },
  searchAcrossCollections: {
    field: 'crossSearch',
    args: similarityArgs,
    view: ({ results, ...answer }: Found & Rest) => ({
      ...complete(answer, ['sourceCollection', 'sourceDocID', 'nextOffset'], { truncated: false }),
      results: results.map((result) => found(result, [])),
    }),
  },
  queryCodeGraph: {
    field: 'codeGraph',
    args: (input) => ({ input }),
    view: ({ nodes, edges, ...graph }: Rest) => ({
      ...graph,
      nodes: (nodes as Rest[]).map(({ key, docId, lang = null, language = null, depth }) => ({
        key,
        docId,
        lang,
        language,
        depth,
      })),
      edges: (edges as (Rest & { lines?: { fromLine: number; toLine: number } })[]).map(({ lines, ...edge }) => ({
        ...edge,
        fromLine: lines?.fromLine ?? null,
        toLine: lines?.toLine ?? null,
      })),
    }),
  },
  createWebhook: {
    field: 'registerWebhook',
    args: (input) => ({ input }),
    view: (webhook: Rest) => complete(webhook, ['pauseReason', 'lastError']),
  },
  testWebhook: { field: 'testWebhook', view: (test: Rest) => complete(test, ['httpStatus', 'error']) },
  deleteWebhook: { field: 'deleteWebhook', view: () => true },
  setSchema: { field: 'setSchema', args: (input) => ({ input }), view: () => true },
  getSchema: {
    field: 'schema',
    view: ({ collection, schema }: Rest) => schema && { collection, schema: JSON.stringify(schema), enabled: true },
  },
  deleteSchema: { field: 'deleteSchema', view: () => true },
  listSchemas: {
    field: 'schemas',
    view: ({ schemas }: { schemas: readonly Rest[] }) =>
      schemas.map(({ collection, schema }) => ({ collection, schema: JSON.stringify(schema), enabled: true })),
  },
  listUsers: {
    field: 'users',
    view: ({ users }: { users: readonly Rest[] }) => users.map((user) => complete(user, ['oidcSubject'])),
  },
  listGroups: { field: 'groups', view: ({ groups }: Rest) => groups },
  listPermissions: { field: 'userPermissions', view: ({ permissions }: Rest) => permissions },
  validateDocument: { field: 'validateDocument', args: (input) => withList(input, 'meta') },
};

const PASSAGE = ['chunkIndex', 'chunkText', 'startLine', 'endLine'];

function similarityArgs(input: Input): Input {
  return { input: { includeContent: false, ...withList(input, 'filterMeta') } };
}

/** The view of vector search and of the search for similar documents, which have one type. */
function nearest({ results, ...answer }: Found & Rest): Rest {
  return {
    ...complete(answer, ['retrievalMode', 'responsePrompt', 'reranked', 'facets', 'nextCursor'], {
      facetsTruncated: false,
      warnings: [],
    }),
    ...ending(answer as Ending),
    results: results.map((result) => found(result, [...PASSAGE, 'distanceMeters'])),
  };
}

function marked({ highlights = null }: Rest): Rest {
  return { highlights: highlights && (highlights as Rest[]).map((highlight) => ({ valueIndex: null, ...highlight })) };
}

/** A result with its document, and null for the named fields that it does not have. */
function found({ document: own, ...result }: Rest, nullable: readonly string[]): Rest {
  return { ...complete(result, nullable), document: document(own as Rest) };
}

/** With null for the named fields that are absent, and the defaults of others. */
function complete(answer: Rest, nullable: readonly string[], defaults: Rest = {}): Rest {
  return { ...Object.fromEntries(nullable.map((name) => [name, null])), ...defaults, ...answer };
}

/** Converts a map of metadata to the list that the schema requires. */
function withList(input: Input, name: string): Input {
  const meta = input[name];
  if (Array.isArray(meta)) throw new Inexpressible(`${name} is a map`);
  if (typeof meta !== 'object' || meta === null) return input;
  return { ...input, [name]: Object.entries(meta as Meta).map(([key, values]) => ({ key, values: aList(values) })) };
}

/** A field that selects the body already requests it. */
function withoutContent({ includeContent, ...input }: Input): Input {
  return includeContent === true || includeContent === undefined ? input : { ...input, includeContent };
}

/** GraphQL's names of values. */
const NAMES: Readonly<Record<string, readonly (readonly [unknown, string])[]>> = {
  fuzzy: [[0, 'EXACT'], [1, 'ONE'], [2, 'TWO'], ['auto', 'AUTO']],
  prefix: [['none', 'NONE'], ['last', 'LAST']],
  totals: [['exact', 'EXACT'], ['bounded', 'BOUNDED'], ['none', 'NONE']],
  matchingStrategy: [['any', 'ANY'], ['all', 'ALL'], ['most', 'MOST']],
};

function withNames(input: Input): Input {
  return Object.fromEntries(
    Object.entries(input).map(([key, value]) => [key, NAMES[key]?.find(([given]) => given === value)?.[1] ?? value]),
  );
}

function withDocuments(input: Input): Input {
  const { documents } = input;
  return documents === undefined
    ? input
    : { ...input, documents: aList(documents).map((item) => withList(item as Input, 'meta')) };
}

/** GraphQL itself converts a single value to a list. */
function aList(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  throw new Inexpressible('a single value is a list of one');
}

function document(
  { id, key, lang, meta = {}, contentMd = '', addedAt, updatedAt, expiresAt = null, deletedAt = null, checksum = null,
    vectors = null }: Rest,
): Rest {
  return { id, key, lang, meta, contentMd, addedAt, updatedAt, expiresAt, deletedAt, checksum, vectors };
}

/** Whether, and at which offset, the result is truncated. */
interface Ending {
  readonly contextTruncated?: boolean;
  readonly truncated?: boolean;
  readonly nextOffset?: number;
  readonly nextCursor?: string;
}

function ending({ contextTruncated = false, truncated = false, nextOffset }: Ending): Rest {
  return { contextTruncated, truncated, nextOffset: nextOffset ?? null };
}

function connection({ documents, total, ...answer }: Ending & { documents: readonly Rest[]; total: number },
  input: Input): Rest
{
  const offset = Number(input['offset'] ?? 0);
  const edges = documents.map((found, i) => ({
    cursor: Buffer.from(`o:${offset + i}`).toString('base64'),
    node: document(found),
  }));
  return {
    edges,
    totalCount: total,
    ...ending(answer as Ending),
    nextCursor: answer.nextCursor ?? null,
    warnings: [],
    pageInfo: {
      totalCount: total,
      hasNextPage: input['cursor'] === undefined ? offset + edges.length < total : answer.nextCursor !== undefined,
      hasPreviousPage: offset > 0 && total > 0,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}
