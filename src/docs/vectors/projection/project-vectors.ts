import { crc32 } from 'node:zlib';
import type { Operations } from '../../../../generated/docs/operations.ts';
import type { ProjectVectorsResponse } from '../../../../generated/docs/sdk/types.gen.ts';
import { ServiceError } from '../../../errors/index.ts';
import { type Point, ProjectionKernel } from '../../../kernels/projection.ts';
import { unixSeconds } from '../../../lib/clock.ts';
import { Pace } from '../../../lib/pace.ts';
import type { InputOf } from '../../../operations/index.ts';
import type { Queries, Row } from '../../../storage/index.ts';
import { type Embeddings, fromBlob, type ModelIdentity, type SpaceEmbeddings } from '../../embeddings/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import type { SearchGate } from '../../search-gate.ts';
import { readCollection } from '../../stored-collections.ts';
import { toBoundedVector } from '../../vector-fields/index.ts';
import { sameModel } from '../classify/document-vector.ts';

export interface ProjectionDeps extends Pick<DocsEnvironment, 'sql' | 'clock'> {
  readonly embeddings: Pick<Embeddings, 'of'>;
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
  const { sql } = deps;
  const embeddings = deps.embeddings.of(input.collection);
  const { space } = embeddings;
  const name = input.collection.toLowerCase();
  const queryVector = input.queryVector && toBoundedVector(input.queryVector);
  const current = embeddings.describe();
  const collection = await readCollection(sql, name);
  const models = collection === undefined ? [] : await modelsOf(deps, space, collection.id);
  const total = models.reduce((sum, { vectors }) => sum + vectors, 0);
  const drawn = models.find(({ model, dimensions }) => model === current.model && dimensions === current.dimensions) ??
    models[0];
  if (collection === undefined || drawn === undefined)
    return { points: [], query: null, total, sampled: 0, dimensions: current.dimensions };
  if (queryVector !== undefined && queryVector.length !== drawn.dimensions) {
    throw new ServiceError('invalid_argument',
      `queryVector must have ${drawn.dimensions} numbers, as the collection's vectors, got ${queryVector.length}`);
  }
  const query = queryVector ?? await embedQuery(embeddings, input.query, drawn, signal);
  const sample = await sampleVectors(deps, { cid: collection.id, space, name }, drawn,
    Math.min(input.sample, MAX_SAMPLE), signal);
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
async function embedQuery(embeddings: SpaceEmbeddings, text: string | undefined, drawn: ModelVectors,
  signal: AbortSignal): Promise<Float32Array | undefined>
{
  if (text === undefined || text.trim() === '' || !embeddings.describe().enabled) return undefined;
  try {
    const { vector, ...model } = await embeddings.embedQuery(text, signal);
    return sameModel(model, drawn) ? vector : undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

type Environment = Pick<DocsEnvironment, 'sql' | 'clock'>;

/** A model with its vectors of a collection. */
interface ModelVectors extends ModelIdentity {
  readonly id: number;
  readonly vectors: number;
}

/** The vectors of a collection in a space. */
interface Sampled {
  readonly cid: number;
  readonly space: string;
  readonly name: string;
}

/** A sampled vector. */
interface SampledVector {
  readonly ord: number;
  readonly id: string;
  readonly key: string;
  readonly chunk: number;
  readonly vector: Float32Array;
}

interface Drawn extends Omit<SampledVector, 'vector'> {
  readonly hash: number;
}

interface DocumentRow extends Row {
  readonly ord: number;
  readonly id: string;
  readonly key: string;
  readonly chunks: number;
}

interface VectorRow extends Row {
  readonly ord: number;
  readonly chunk: number;
  readonly vector: Uint8Array;
}

const DOCUMENTS = 2000;
const VECTORS = 128;

/** The models of a collection's vectors, most vectors first; expired documents do not count. */
async function modelsOf({ sql, clock }: Environment, space: string, cid: number): Promise<ModelVectors[]> {
  const rows = await sql.background.all<ModelVectors & Row>(
    `SELECT m.id, m.model, m.variant, m.dimensions, sum(e.chunks) AS vectors
     FROM embeddings e JOIN embedding_models m ON m.id = e.model_id
     WHERE e.cid = ? AND e.space = ? AND e.ord NOT IN (SELECT ord FROM documents WHERE expires_at <= ?)
     GROUP BY m.id, m.model, m.variant, m.dimensions ORDER BY vectors DESC, m.id`,
    [cid, space, unixSeconds(clock)],
  );
  return rows.filter(({ vectors }) => vectors > 0);
}

/**
 * A sample of the vectors of a model, by id and passage: the first ones in the order of a hash of collection, id and
 * passage. The same vectors result in the same sample, and an additional vector changes little of it.
 */
async function sampleVectors(environment: Environment, from: Sampled, model: ModelVectors, size: number,
  signal: AbortSignal): Promise<SampledVector[]>
{
  const drawn = new Draw(size);
  const seed = crc32(from.name);
  const pace = new Pace();
  for await (const documents of documentPages(environment, from, model.id)) {
    signal.throwIfAborted();
    for (const { ord, id, key, chunks } of documents) {
      const base = crc32(id, seed);
      for (let chunk = 0; chunk < chunks; chunk++) drawn.add({ ord, id, key, chunk, hash: mix(base, chunk) });
      await pace.rest();
    }
  }
  return readVectors(environment.sql.background, from.space, drawn.first(), model.dimensions, signal);
}

async function* documentPages({ sql, clock }: Environment, { cid, space }: Sampled,
  model: number): AsyncGenerator<DocumentRow[]>
{
  const now = unixSeconds(clock);
  for (let last = 0, more = true; more;) {
    const rows = await sql.background.all<DocumentRow>(
      `SELECT d.ord, d.id, d.key, e.chunks FROM embeddings e JOIN documents d ON d.ord = e.ord
       WHERE e.cid = ? AND e.space = ? AND e.ord > ? AND e.model_id = ? AND (d.expires_at IS NULL OR d.expires_at > ?) ORDER BY e.ord LIMIT ?`,
      [cid, space, last, model, now, DOCUMENTS],
    );
    yield rows;
    last = rows.at(-1)?.ord ?? last;
    more = rows.length === DOCUMENTS;
  }
}

async function readVectors(queries: Queries, space: string, drawn: readonly Drawn[], dimensions: number,
  signal: AbortSignal): Promise<SampledVector[]>
{
  const sampled: SampledVector[] = [];
  for (let i = 0; i < drawn.length; i += VECTORS) {
    signal.throwIfAborted();
    const some = drawn.slice(i, i + VECTORS);
    // CROSS JOIN makes SQLite look up each pair; with IN (VALUES ...) it would read the whole table.
    const rows = await queries.all<VectorRow>(
      `WITH wanted(ord, chunk) AS (VALUES ${some.map(() => '(CAST(? AS BIGINT), CAST(? AS BIGINT))').join(', ')})
       SELECT v.ord, v.chunk, v.vector FROM wanted w CROSS JOIN vectors v WHERE v.ord = w.ord AND v.space = ?
         AND v.chunk = w.chunk`,
      [...some.flatMap(({ ord, chunk }) => [ord, chunk]), space],
    );
    const found = new Map(rows.map((row) => [`${row.ord} ${row.chunk}`, row.vector]));
    for (const { ord, id, key, chunk } of some) {
      const blob = found.get(`${ord} ${chunk}`);
      // Otherwise it was embedded again since it was sampled.
      const vector = blob && fromBlob(blob, dimensions);
      if (vector?.length === dimensions) sampled.push({ ord, id, key, chunk, vector });
    }
  }
  return sampled;
}

/** Keeps the first of all added items by hash, without sorting all of them. */
class Draw {
  readonly #size: number;
  #kept: Drawn[] = [];
  #limit = Infinity;

  constructor(size: number) {
    this.#size = size;
  }

  add(one: Drawn): void {
    if (one.hash > this.#limit) return;
    this.#kept.push(one);
    if (this.#kept.length >= this.#size * 2) this.#trim();
  }

  /** By id and passage. */
  first(): Drawn[] {
    this.#trim();
    return this.#kept.sort((a, b) => compare(a.id, b.id) || a.chunk - b.chunk);
  }

  #trim(): void {
    this.#kept.sort((a, b) => a.hash - b.hash || compare(a.id, b.id) || a.chunk - b.chunk);
    this.#kept.length = Math.min(this.#kept.length, this.#size);
    if (this.#kept.length === this.#size) this.#limit = this.#kept.at(-1)!.hash;
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** The finalizer of MurmurHash3: each bit of the input changes about half of the bits. */
function mix(base: number, chunk: number): number {
  let hash = base ^ Math.imul(chunk + 1, 0x9e3779b1);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
