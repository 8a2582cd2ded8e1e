import type { FindSimilarResponse, SearchVectorsResponse,
  VectorResult } from '../../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../../errors/index.ts';
import { roundScore } from '../../../lib/rounded.ts';
import type { AnswerBounds } from '../../../operations/index.ts';
import { gathered, readEach } from '../../../search/parts/index.ts';
import type { CollectionConfig } from '../../collections/index.ts';
import { costOf } from '../../search-gate.ts';
import { type AnswerFields, promptOf, type RankedDeps, searchRanked } from '../../search/index.ts';
import { type FieldQuery, toQueryVector } from '../../vector-fields/index.ts';
import type { QueryVector, VectorSearch } from '../vector-search.ts';
import type { VectorView } from '../view/vector-view.ts';
import { resolveRequest, type SearchInput, type SearchRequest } from './request.ts';
import { type NearestDeps, searchByVector } from './search-by-vector.ts';
import { readPassages, vectorsRetriever } from './vectors-retriever.ts';

export interface SearchDeps extends NearestDeps, RankedDeps {
  readonly view: Pick<VectorView, 'position' | 'caughtUp'>;
  readonly chunkCounts: VectorSearch['chunkCounts'];
  readonly embed: Pick<VectorSearch, 'embedQuery'> & {
    /** Throws `invalid_argument` without a provider. */
    requireProvider(): void;
    /** Embeds the query for fields of the source `provider` that have no vector, and says where theirs are. */
    embedFields(fields: readonly FieldQuery[], request: Pick<SearchRequest, 'collection' | 'query'>,
      signal: AbortSignal): Promise<readonly FieldQuery[]>;
    describe(): { readonly model: string; readonly dimensions: number };
  };
}

/**
 * `POST /v1/vector-search` (contract section 4, "Vector search"; decisions section 4.3). Only the scoring occupies a
 * place in the search gate.
 */
export async function searchVectors(deps: SearchDeps, input: SearchInput,
  bounds: AnswerBounds): Promise<SearchVectorsResponse>
{
  const started = performance.now();
  const config = deps.collections.configOf(input.collection);
  const asked = resolveRequest(input, config);
  const fields = asked.fields && await deps.embed.embedFields(asked.fields, asked, bounds.signal);
  const request = { ...asked, fields };
  const { collection, query, queryVector } = request;
  if (fields === undefined) await gathered(() => requireEmbeddings(deps, request, config));
  // If nothing can be found, the provider is not called.
  const isEmpty = () => gathered(() => (deps.indexOf(collection)?.documents ?? 0) === 0);
  const vector = fields !== undefined
    ? toQueryVector(fields)
    : queryVector !== undefined
    ? { vector: queryVector }
    : await isEmpty()
    ? undefined
    : await deps.embed.embedQuery(query, bounds.signal, collection);
  const answer = await findNearest(deps, input, request, vector, bounds);
  return {
    ...answer,
    searchStats: { durationMs: Math.round(performance.now() - started) },
    retrievalMode: request.mode,
    ...promptOf(config?.responsePrompt, { collection, query }),
  };
}

/** Throws `invalid_argument` where a search without fields has nothing that could be searched. */
function requireEmbeddings({ embed, indexOf }: SearchDeps, { collection, queryVector }: SearchRequest,
  config: CollectionConfig | undefined): void
{
  if (queryVector === undefined) return embed.requireProvider();
  const fields = Object.keys(config?.vectors ?? {});
  if (fields.length === 0 || (indexOf(collection)?.documents ?? 0) > 0) return;
  throw new ServiceError('invalid_argument',
    'queryVector without vectorField is compared with embeddings, and the collection has none; set vectorField to ' +
      `${fields.length === 1 ? fields[0] : `one of ${fields.join(', ')}`}`);
}

/** The nearest documents or passages, without those of `hidden`. */
export async function findNearest(deps: SearchDeps, input: Parameters<typeof costOf>[0], request: SearchRequest,
  query: QueryVector | undefined, bounds: AnswerBounds,
  hidden: readonly number[] = []): Promise<Omit<FindSimilarResponse, 'searchStats'> & AnswerFields<VectorResult>>
{
  const { sql, space, view, indexOf } = deps;
  const { collection, mode, metric, threshold, algorithm, oversample, order, fields } = request;
  const supplied = fields && deps.fields!.sideOf(fields);
  const side = supplied ?? {
    view,
    searchByVector: (wanted: Parameters<VectorSearch['searchByVector']>[0]) =>
      searchByVector(deps, wanted, bounds.signal),
    passagesOf: (passages: Parameters<VectorSearch['passagesOf']>[0]) => readPassages(sql, space, passages),
    chunkCounts: deps.chunkCounts,
  };
  const documents = await gathered(() =>
    fields === undefined
      ? indexOf(collection)?.documents ?? 0
      : Math.max(deps.fields!.documentsOf(collection), ...readEach(fields, ({ embedded }) =>
        embedded?.index()?.documentCount ?? 0))
  );
  const found = await searchRanked<VectorResult>({ ...deps, vectors: supplied ?? deps.vectors }, {
    request,
    hidden,
    rules: [],
    cost: documents === 0 ? undefined : costOf(input, documents),
    sides: {
      vectors: query && vectorsRetriever(side, sql, {
        ...query,
        // In another order, or with a cursor, the scores are those of the vectors alone, which depend on no other
        // document.
        text: order === undefined ? query.text : undefined,
        collection,
        metric,
        threshold,
        algorithm,
        oversample,
        perDocument: mode === 'parent',
        quotable: mode !== 'parent',
      }, bounds.signal),
    },
    show: ({ score }, { document, ...parts }) => ({ document, score: roundScore(score), ...parts }),
  }, bounds);
  const warnings = [...warningsOf(found.incomparable, query), ...found.warnings];
  return {
    ...found.answer,
    ...modelOf(deps, request, query),
    algorithm: found.algorithm ?? 'flat',
    distanceMetric: metric,
    ...(warnings.length > 0 && { warnings }),
  };
}

/** For a vector from the client, the model is that of the vectors that it is compared with. */
function modelOf({ embed, indexOf }: SearchDeps, { collection, queryVector, fields }: SearchRequest,
  query: QueryVector | undefined): { model: string; dimensions: number }
{
  if (fields !== undefined) {
    const [{ field, vectors }] = fields as [FieldQuery];
    return { model: '', dimensions: field.dimensions || (vectors[0]?.length ?? 0) };
  }
  if (queryVector !== undefined) {
    const met = indexOf(collection)?.models().find(({ dimensions }) => dimensions === queryVector.length);
    return { model: met?.model ?? '', dimensions: queryVector.length };
  }
  const { model, dimensions } = query?.model ?? embed.describe();
  return { model, dimensions };
}

/** Says how many documents a search left out, if any, and that the model does not know the script of its query. */
export function warningsOf(documents: number, query: QueryVector | undefined): string[] {
  return [...incomparableWarning(documents, query), ...unknownWarning(query)];
}

function unknownWarning(query: QueryVector | undefined): string[] {
  return query?.isUnknown === true
    ? [`the model ${query.model!.model} does not know the script of the query: it was compared by its spelling`]
    : [];
}

function incomparableWarning(documents: number, query: QueryVector | undefined): string[] {
  if (documents === 0) return [];
  const count = documents === 1 ? 'the vectors of 1 document were' : `the vectors of ${documents} documents were`;
  const reason = query?.model === undefined
    ? 'they have another dimension than queryVector'
    : 'they are of another model or variant than the query; POST /v1/vector-reindex embeds them again';
  return [`${count} not compared: ${reason}`];
}
