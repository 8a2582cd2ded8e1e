import type { CodeGraphEdge, IngestOptions, ListRevisionsResponse,
  ProjectedDocument } from '../../../../generated/docs/sdk/types.gen.ts';
import type { DocumentConnection, DocumentEdge, IngestDocumentInput, IngestOptionsInput,
  SearchInput } from '../../../../generated/graphql/resolvers.ts';
import { ServiceError } from '../../../errors/index.ts';
import { truncationIn, warningsIn } from '../../../operations/index.ts';
import { selects } from '../reads.ts';
import { defineArea } from './area.ts';
import { given, toFilter, toMeta, toRanges } from './input.ts';
import { bodiesOf, inSteps, presentDocument } from './present.ts';

const BODY = ['edges', 'node', 'contentMd'];
const VECTORS = ['edges', 'node', 'vectors'];

export const documents = defineArea('documents', {
  Query: {
    document: (_, { fallbackLangs, ...args }, { read, invoke }, info) => {
      const includeVectors = selects(info, ['vectors']);
      return read(info, async () => {
        const reply = await invoke('getDocument', {
          ...args,
          includeVectors,
          fallbackLangs: fallbackLangs && [...fallbackLangs],
          env: args.env as Record<string, string> | null | undefined,
        }).catch(absent);
        return reply && presentDocument(reply.value);
      }, { variant: String(includeVectors), bodies: (document) => bodiesOf(document ? [document] : []) });
    },

    search: (_, { input }, { read, invoke }, info) => {
      const includeContent = selects(info, BODY);
      const includeVectors = selects(info, VECTORS);
      return read(info, async () => {
        const { value, headers } = await invoke('searchDocuments', {
          ...input,
          filterMeta: toMeta(input.filterMeta),
          filter: toFilter(input.filter),
          langs: input.langs && [...input.langs],
          rangeMeta: toRanges(input.rangeMeta),
          includeContent,
          includeVectors,
        });
        return toConnection(value, headers, input);
      }, {
        variant: `${includeContent} ${includeVectors}`,
        bodies: ({ edges }) => bodiesOf(edges.map(({ node }) => node)),
      });
    },

    revisions: (_, args, { read, invoke }, info) => {
      const includeContent = selects(info, ['revisions', 'contentMd']);
      return read(info, async () => {
        const reply = await invoke('listRevisions', { ...args, includeContent }).catch(absent);
        return reply && presentRevisions(reply.value);
      }, {
        variant: String(includeContent),
        bodies: (list) => list?.revisions.reduce((sum, { contentMd }) => sum + contentMd.length, 0) ?? 0,
      });
    },
  },
  DocumentConnection: {
    edges: ({ edges }) => inSteps(edges),
  },
  RevisionList: {
    revisions: ({ revisions }) => inSteps(revisions),
  },
  Mutation: {
    addDocument: async (_, { input }, { invoke }) =>
      presentDocument((await invoke('addDocument', { ...input, meta: toMeta(input.meta) })).value),
    updateDocument: async (_, { input }, { invoke }) =>
      presentDocument((await invoke('updateDocument', { ...input, meta: toMeta(input.meta) })).value),
    // An absent document is not an error here (decisions, section 4.13).
    deleteDocument: async (_, args, { invoke }) => (await invoke('deleteDocument', args).catch(absent)) !== null,
    restoreRevision: async (_, args, { invoke }) => presentDocument((await invoke('restoreRevision', args)).value),
    deleteCollection: async (_, args, { invoke }) => (await invoke('deleteCollection', args)).value.deleted,
    addBatch: async (_, { collection, documents, saveRevision }, { invoke }) => {
      const items = documents.map(({ meta, ...item }) => given({ ...item, meta: toMeta(meta) }));
      return (await invoke('addDocuments', given({ collection, documents: items, saveRevision }))).value;
    },
    setTTL: async (_, args, { invoke }) => presentDocument((await invoke('setDocumentTtl', args)).value),
  },
});

/** Returns null for a document that does not exist; other errors are thrown. */
function absent(error: unknown): null {
  if (error instanceof ServiceError && error.code === 'not_found') return null;
  throw error;
}

function presentRevisions(list: ListRevisionsResponse) {
  return { ...list, truncated: list.truncated ?? false };
}

function toConnection(found: readonly ProjectedDocument[], headers: Readonly<Record<string, string>>,
  input: SearchInput): DocumentConnection
{
  const offset = input.offset ?? 0;
  const totalCount = Number(headers['X-Total-Count']);
  const { truncated = false, nextOffset } = truncationIn(headers);
  const nextCursor = headers['X-Next-Cursor'];
  const edges = found.map((document, i): DocumentEdge => ({
    cursor: cursorOf(offset + i),
    node: presentDocument(document),
  }));
  return {
    edges,
    totalCount,
    contextTruncated: headers['X-Context-Truncated'] === 'true',
    truncated,
    nextOffset,
    nextCursor,
    warnings: [...warningsIn(headers).warnings ?? []],
    pageInfo: {
      totalCount,
      hasNextPage: input.cursor == null ? offset + edges.length < totalCount : nextCursor !== undefined,
      hasPreviousPage: offset > 0 && totalCount > 0,
      startCursor: edges[0]?.cursor,
      endCursor: edges.at(-1)?.cursor,
    },
  };
}

function cursorOf(offset: number): string {
  return Buffer.from(`o:${offset}`).toString('base64');
}

export const ingest = defineArea('ingest', {
  Mutation: {
    ingestDocuments: async (_, { collection, documents, options }, { invoke }) => {
      const { value } = await invoke('ingestDocuments', {
        collection,
        documents: documents.map(toItem),
        options: options && toOptions(options),
      });
      const keyCollisions = value.keyCollisions.map(({ lang, keys, urls }) =>
        `${lang}: ${keys.join(', ')}${urls === undefined ? '' : ` (${urls.join(', ')})`}`
      );
      return { ...value, keyCollisions };
    },
    importURL: async (_, { meta, ...page }, { invoke }) =>
      presentDocument((await invoke('importUrl', { ...page, meta: toMeta(meta) })).value),
  },
});

/** `profile` and `keyFrom` are strings in the schema; the pipeline rejects unknown values. */
function toOptions(options: IngestOptionsInput): IngestOptions {
  return given(options) as IngestOptions;
}

function toItem({ meta, ...item }: IngestDocumentInput) {
  return given({ ...item, meta: toMeta(meta) });
}

export const codegraph = defineArea('codegraph', {
  Query: {
    codeGraph: (_, { input, ...single }, { read, invoke }, info) =>
      read(info, async () => {
        const { value: { edges, ...graph } } = await invoke('queryCodeGraph', {
          ...single,
          ...(input && given(input)),
        });
        return { ...graph, edges: edges.map(presentEdge) };
      }),
  },
});

function presentEdge({ lines, ...edge }: CodeGraphEdge) {
  return { ...edge, ...lines };
}
