import { webcrypto } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type EmbeddingKernel, layTokenVectors, type ModelMemory } from '../../kernels/embedding.ts';
import { EmbeddingError } from '../provider.ts';
import { addWord } from './hash-features.ts';

/** The folder of the package's models, for source and for the built package. */
const MODELS = new URL('../../../models/', import.meta.url);

interface ModelFile {
  readonly name: string;
  readonly sha256: string;
}

/** See `models/README.md`. */
const FILES = {
  vocabulary: {
    name: 'static-en-256/vocab.txt',
    sha256: '07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3',
  },
  vectors: {
    name: 'static-en-256/vectors.i8',
    sha256: '484615811776a296185f6f55325d3e0f7fd8e3a92616e910a6bb8cc5944fa13b',
  },
  scales: {
    name: 'static-en-256/scales.f32',
    sha256: '29b4149c61bedb4f193248eec08848332557a91196cb0f0e57c0bd94ede562cf',
  },
} satisfies Record<string, ModelFile>;

let shared: Promise<ModelMemory> | undefined;

/**
 * The token vectors of `static-en-256`: read and checked once per process, on first use, into memory that threads can
 * share. Rejects with an EmbeddingError if a file is missing or does not have the expected hash; the next call tries
 * again.
 */
export function tokenModel(folder: URL = MODELS): Promise<ModelMemory> {
  if (folder !== MODELS) return load(folder);
  return shared ??= load(folder).catch((error: unknown) => {
    shared = undefined;
    throw error;
  });
}

async function load(folder: URL): Promise<ModelMemory> {
  const [vocabulary, vectors, scales] = await Promise.all(
    [FILES.vocabulary, FILES.vectors, FILES.scales].map((file) => read(folder, file)),
  );
  return layTokenVectors({ vocabulary: vocabulary!, vectors: vectors!, scales: scales! });
}

async function read(folder: URL, { name, sha256 }: ModelFile): Promise<Uint8Array<ArrayBuffer>> {
  const file = new URL(name, folder);
  const bytes = Uint8Array.from(await readFile(file).catch((error: unknown) => {
    throw new EmbeddingError(
      `the embedding model static-en-256 can't be read: ${(error as Error).message}; install the package again`,
      { retryable: false, cause: error },
    );
  }));
  // Hashed on another thread, because hashing eight megabytes takes a while.
  const found = Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes)).toString('hex');
  if (found !== sha256)
    throw new EmbeddingError(
      `${file.pathname} is damaged: expected the SHA-256 ${sha256}, got ${found}; install the package again`,
      { retryable: false },
    );
  return bytes;
}

/** The vector of a text by `static-en-256`, of length 1. */
export function embedText(kernel: EmbeddingKernel, text: string): Float32Array {
  return kernel.vector(text) ?? spelling(text, kernel.dims);
}

/**
 * A direction derived from the spelling of a text of which the model knows no token, such as an emoji: similar only to
 * texts with the same words.
 */
function spelling(text: string, dims: number): Float32Array {
  const vector = new Float32Array(dims);
  for (const word of new Set(text.trim().toLowerCase().slice(0, 1000).split(/\s+/))) addWord(vector, word, 1);
  const length = Math.hypot(...vector);
  return length > 0 ? vector.map((value) => value / length) : vector.fill(1 / Math.sqrt(dims));
}
