import { SimilarityKernel } from '../../../kernels/similarity.ts';
import type { Meta } from '../../documents/index.ts';
import { embeddedText, type ModelIdentity, type SpaceEmbeddings } from '../../embeddings/index.ts';

/** A document whose vector is needed. */
export interface VectorSource {
  readonly ord: number;
  readonly key: string;
  readonly meta: Meta;
  /** CRC-32 of the present body. */
  readonly crc: number;
  /** Reads the body, which is rarely needed. */
  readonly contentMd: () => Promise<string>;
}

/** The vectors of the passages of a text. */
export interface PassageVectors {
  readonly model: ModelIdentity;
  readonly vectors: readonly Float32Array[];
}

export type VectorReader = Pick<SpaceEmbeddings, 'embedTexts' | 'chunksOf' | 'vectorsOfDocuments' | 'describe'>;

/**
 * The vectors of a document's present body: the stored ones, if they are `usable`; otherwise the body is embedded,
 * which throws `invalid_argument` without a provider and `unavailable` when the provider fails. None for a blank body.
 */
export async function passageVectors(embeddings: VectorReader, source: VectorSource,
  usable: (model: ModelIdentity) => boolean, signal: AbortSignal): Promise<PassageVectors | undefined>
{
  const stored = await embeddings.vectorsOfDocuments([source.ord]);
  const [first] = stored;
  if (first !== undefined && first.crc === source.crc && usable(first))
    return {
      model: first,
      vectors: stored.map(({ vector }) => vector),
    };
  return embedBody(embeddings, { key: source.key, meta: source.meta, contentMd: await source.contentMd() }, signal);
}

/** The vectors of a body, split into passages like a document; undefined when it is blank. */
export async function embedBody(embeddings: VectorReader, document: Parameters<VectorReader['chunksOf']>[0],
  signal: AbortSignal): Promise<PassageVectors | undefined>
{
  const texts = embeddings.chunksOf(document).map(embeddedText);
  if (texts.length === 0) return undefined;
  const { vectors, ...model } = await embeddings.embedTexts(texts, 'document', signal);
  return { model, vectors };
}

export function sameModel(a: ModelIdentity, b: ModelIdentity): boolean {
  return a.model === b.model && a.variant === b.variant && a.dimensions === b.dimensions;
}

/** The mean of at least one vector; all have the same dimension. */
export function meanVector(vectors: readonly Float32Array[]): Float32Array {
  const kernel = new SimilarityKernel(vectors[0]!.length, 'dot_product');
  kernel.add(inOne(vectors));
  return kernel.row(0);
}

/** Concatenates vectors. */
export function inOne(vectors: readonly Float32Array[]): Float32Array<ArrayBuffer> {
  const all = new Float32Array(vectors.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const vector of vectors) {
    all.set(vector, at);
    at += vector.length;
  }
  return all;
}
