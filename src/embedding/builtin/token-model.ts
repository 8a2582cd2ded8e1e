import { webcrypto } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type EmbeddingKernel, layPieceRows, layPieceWords, layTokenVectors,
  type ModelMemory } from '../../kernels/embedding.ts';
import { EmbeddingError } from '../provider.ts';
import { addWord, countWords, weight } from './hash-features.ts';

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
  pieces: {
    name: 'static-multi-256/vocab.tsv',
    sha256: '8f743b54ba8884719778cb112a2af19bd27b251d739778aa448a069b8997bba9',
  },
  english: {
    name: 'static-multi-256/english.i8',
    sha256: 'f9a32e3131a71028c6b1c8d9b0bf37ac4285865560bbf1132db2bc282984eab3',
  },
  pieceVectors: {
    name: 'static-multi-256/vectors.i4',
    sha256: '3de04f994c3a04f394285d2c41b0baccaec63add1dd831623a058a6b520e2949',
  },
  pieceScales: {
    name: 'static-multi-256/scales4.f32',
    sha256: 'f5782ace6f1c51818ca395a757e5c80b6a14ce7427174fd62835680cdc4bcfdc',
  },
} satisfies Record<string, ModelFile>;

/** Of `static-multi-256`. */
const PIECES = { pieces: 100_000, vocabularyBytes: 1_904_070 };

/** A part of `static-multi-256`: the words tell languages apart, the rows are their vectors. */
export type PiecePart = 'words' | 'rows';

/**
 * The token vectors of `static-en-256`, in memory that threads can share, to which `static-multi-256` is added where it
 * is needed. Every file is read and checked once, on first use. Calls reject with an EmbeddingError if a file is
 * missing or does not have the expected hash; the next call tries again.
 */
class TokenModel {
  readonly #folder: URL;
  readonly #memory = once(() => this.#load());
  readonly #words = once(() => this.#addWords());
  readonly #rows = once(() => this.#addRows());

  constructor(folder: URL) {
    this.#folder = folder;
  }

  /** The memory, with a part of `static-multi-256` and what that needs. */
  async memory(part?: PiecePart): Promise<ModelMemory> {
    if (part === 'rows') await this.#rows();
    else if (part === 'words') await this.#words();
    return this.#memory();
  }

  async #load(): Promise<ModelMemory> {
    const [vocabulary, vectors, scales] = await this.#read(FILES.vocabulary, FILES.vectors, FILES.scales);
    return layTokenVectors({ vocabulary: vocabulary!, vectors: vectors!, scales: scales! }, 'release', PIECES);
  }

  async #addWords(): Promise<void> {
    const [memory, [vocabulary, english]] = await Promise.all([this.#memory(),
      this.#read(FILES.pieces, FILES.english)]);
    layPieceWords(memory, { vocabulary: vocabulary!, english: english! });
  }

  async #addRows(): Promise<void> {
    const files = this.#read(FILES.pieceVectors, FILES.pieceScales);
    const [memory, [vectors, scales]] = await Promise.all([this.#memory(), files, this.#words()]);
    layPieceRows(memory, { vectors: vectors!, scales: scales! });
  }

  #read(...files: readonly ModelFile[]): Promise<Uint8Array<ArrayBuffer>[]> {
    return Promise.all(files.map((file) => read(this.#folder, file)));
  }
}

/** Work that is done once, and again only after it failed. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let done: Promise<T> | undefined;
  return () =>
    done ??= work().catch((error: unknown) => {
      done = undefined;
      throw error;
    });
}

const shared = new TokenModel(MODELS);

/** The model of this process, or one of another folder. See `TokenModel`. */
export function tokenModel(part?: PiecePart, folder?: URL): Promise<ModelMemory> {
  return (folder === undefined ? shared : new TokenModel(folder)).memory(part);
}

async function read(folder: URL, { name, sha256 }: ModelFile): Promise<Uint8Array<ArrayBuffer>> {
  const file = new URL(name, folder);
  const bytes = Uint8Array.from(await readFile(file).catch((error: unknown) => {
    throw new EmbeddingError(
      `the embedding model ${name.split('/')[0]} can't be read: ${(error as Error).message}; install the package again`,
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

/** Evidence of English up to which a text is not (models/README.md). */
export const NOT_ENGLISH = -72;
/** The distance from there to a text that is. */
const UNSURE = 48;
/** Share of letters without a piece from which on a text is in a script that the model does not know. */
const MOSTLY = 0.5;

/** Which vectors a text is made of. */
interface TextMixture {
  /** Share of `static-en-256`, from 0 to 1; `static-multi-256` has the rest. */
  readonly english: number;
  /** Whether neither knows the script, so that the text is compared by its spelling. */
  readonly isUnknown: boolean;
}

const ENGLISH: TextMixture = { english: 1, isUnknown: false };

/**
 * Decides on the vectors of a text. If it is not known whether it is English, its pieces decide. Returns the part of
 * `static-multi-256` that must be added before, if one is missing.
 */
export function mixtureOf(kernel: EmbeddingKernel, text: string, isEnglish?: boolean): TextMixture | PiecePart {
  if (isEnglish === true) return ENGLISH;
  if (!kernel.hasPieces) return 'words';
  const { english = -Infinity, unknown } = kernel.evidence(text);
  if (unknown > MOSTLY) return { english: 0, isUnknown: true };
  const share = isEnglish === false ? 0 : Math.max(0, Math.min(1, (english - NOT_ENGLISH) / UNSURE));
  if (share === 1) return ENGLISH;
  return kernel.hasPieceRows ? { english: share, isUnknown: false } : 'rows';
}

/**
 * The vector of a text, of length 1; see `mixtureOf`. Of a text in between, both vectors are added, each of length 1,
 * with their shares.
 */
export function embedText(kernel: EmbeddingKernel, text: string, isEnglish?: boolean): Float32Array | PiecePart {
  const mixture = mixtureOf(kernel, text, isEnglish);
  if (typeof mixture === 'string') return mixture;
  const { english, isUnknown } = mixture;
  if (isUnknown) return spelledWords(text, kernel.dims);
  const other = english < 1 ? kernel.pieceVector(text) : undefined;
  // A text of which one model knows nothing has the vector of the other one.
  const own = english > 0 || other === undefined ? kernel.vector(text) : undefined;
  if (own === undefined || other === undefined) return own ?? other ?? spelling(text, kernel.dims);
  return unit(own.map((value, i) => english * value + (1 - english) * other[i]!)) ?? own;
}

/** A vector by the words of a text in a script that the models do not know, as `hashed-ngrams` has them. */
function spelledWords(text: string, dims: number): Float32Array {
  const vector = new Float32Array(dims);
  for (const [word, times] of countWords(text)) addWord(vector, word, weight(word, times));
  return unit(vector) ?? spelling(text, dims);
}

/**
 * A direction derived from the spelling of a text of which the model knows no token, such as an emoji: similar only to
 * texts with the same words.
 */
function spelling(text: string, dims: number): Float32Array {
  const vector = new Float32Array(dims);
  for (const word of new Set(text.trim().toLowerCase().slice(0, 1000).split(/\s+/))) addWord(vector, word, 1);
  return unit(vector) ?? vector.fill(1 / Math.sqrt(dims));
}

/** A vector scaled to length 1; undefined for zeros. */
function unit(vector: Float32Array): Float32Array | undefined {
  const length = Math.hypot(...vector);
  return length > 0 ? vector.map((value) => value / length) : undefined;
}
