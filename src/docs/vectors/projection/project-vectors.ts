import type { Operations } from '../../../../generated/docs/operations.ts';
import type { ProjectVectorsResponse } from '../../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../../errors/index.ts';
import { type Point, ProjectionKernel } from '../../../kernels/projection.ts';
import { Pace } from '../../../lib/pace.ts';
import type { InputOf } from '../../../operations/index.ts';
import type { Embeddings } from '../../embeddings/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import type { SearchGate } from '../../search-gate.ts';
import { readCollection } from '../../stored-collections.ts';
import { sameModel } from '../classify/document-vector.ts';
import { toBoundedVector } from '../query-vector.ts';
import { modelsOf, type ModelVectors, type SampledVector, sampleVectors } from './sample-vectors.ts';

export interface ProjectionDeps extends Pick<DocsEnvironment, 'sql' | 'clock'> {
  readonly embeddings: Pick<Embeddings, 'embedQuery' | 'describe'>;
  readonly gate: Pick<SearchGate, 'run'>;
}

type ProjectionInput = InputOf<Operations, 'projectVectors'>;

/** More points than this cannot be told apart (contract section 8). */
const MAX_SAMPLE = 2000;

/**
 * `POST /v1/vector-projection` (decisions section 4.3). Vectors of several models have no axes in common: those of the
 * present model are projected, or if there are none, those of the model with the most vectors.
 */
export async function projectVectors(deps: ProjectionDeps, input: ProjectionInput,
  signal: AbortSignal): Promise<ProjectVectorsResponse>
{
  const { sql, embeddings } = deps;
  const name = input.collection.toLowerCase();
  const queryVector = input.queryVector && toBoundedVector(input.queryVector);
  const current = embeddings.describe().vectors;
  const collection = await readCollection(sql, name);
  const models = collection === undefined ? [] : await modelsOf(deps, collection.id);
  const total = models.reduce((sum, { vectors }) => sum + vectors, 0);
  const drawn = models.find(({ model, dimensions }) => model === current.model && dimensions === current.dimensions) ??
    models[0];
  if (collection === undefined || drawn === undefined)
    return { points: [], query: null, total, sampled: 0, dimensions: current.dimensions };
  if (queryVector !== undefined && queryVector.length !== drawn.dimensions) {
    throw new ServiceError('invalid_argument',
      `queryVector must have ${drawn.dimensions} numbers, as the collection's vectors, got ${queryVector.length}`);
  }
  const query = queryVector ?? await embedQuery(deps, input.query, drawn, signal);
  const sample = await sampleVectors(deps, collection.id, name, drawn, Math.min(input.sample, MAX_SAMPLE), signal);
  const answer = await deps.gate.run(() => draw(sample, query, signal), signal);
  return { ...answer, total, sampled: sample.length, dimensions: drawn.dimensions };
}

async function draw(sample: readonly SampledVector[], query: Float32Array | undefined,
  signal: AbortSignal): Promise<Pick<ProjectVectorsResponse, 'points' | 'query'>>
{
  const pace = new Pace();
  const rest = async (): Promise<void> => {
    signal.throwIfAborted();
    await pace.rest();
  };
  const { points, place } = await new ProjectionKernel(sample.map(({ vector }) => vector), rest).project();
  // If all vectors are equal there is no axis, and so no position on it.
  const placed = query && place(query);
  return {
    points: sample.map(({ id, key, chunk }, i) => ({
      id: `${id}#${chunk}`,
      key,
      docId: id,
      chunkIndex: chunk,
      ...round(points[i]!),
    })),
    query: placed === undefined ? null : round(placed),
  };
}

/** Vectors have single precision: further digits would have no meaning. Adding 0 turns -0 into 0. */
function round({ x, y }: Point): Point {
  return { x: Math.round(x * 1e6) / 1e6 + 0, y: Math.round(y * 1e6) / 1e6 + 0 };
}

/** Undefined when there is no text, or its vector cannot be made or compared: the map is useful without it. */
async function embedQuery({ embeddings }: ProjectionDeps, text: string | undefined, drawn: ModelVectors,
  signal: AbortSignal): Promise<Float32Array | undefined>
{
  if (text === undefined || text.trim() === '' || !embeddings.describe().vectors.enabled) return undefined;
  try {
    const { vector, ...model } = await embeddings.embedQuery(text, signal);
    return sameModel(model, drawn) ? vector : undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
