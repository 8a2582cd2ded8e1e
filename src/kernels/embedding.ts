import { foldPage } from './bert-characters.ts';
import { instantiateKernel, type KernelBuild, loadKernel } from './load.ts';

/** A model of token vectors, as its files have it. */
export interface TokenVectors {
  /** Tokens in UTF-8, one a line, `[UNK]` among them. */
  readonly vocabulary: Uint8Array;
  /** A row of signed bytes for each token; the dimensions are a multiple of 32. */
  readonly vectors: Uint8Array;
  /** A little-endian float32 for each token, which its row is multiplied by. */
  readonly scales: Uint8Array;
}

/** What `asm/embedding.ts` exports; the contracts stand there. */
interface EmbeddingExports extends WebAssembly.Exports {
  layModel(tokens: number, dims: number, vocabularyBytes: number): void;
  modelEnd(): number;
  vectorsAt(): number;
  scalesAt(): number;
  vocabularyAt(): number;
  indexVocabulary(): number;
  deskBytes(): number;
  textRoom(): number;
  tokensOf(desk: number): number;
  outputOf(desk: number): number;
  directoryOf(desk: number): number;
  foldPageBytes(): number;
  tokenize(desk: number, length: number): number;
  sumTokens(desk: number, count: number): void;
}

const PAGE = 65_536;
const INITIAL_PAGES = 2;
/** As the module is compiled (src/codegen/build-kernels.ts). */
const MAXIMUM_PAGES = 4096;
const FLOAT = 4;
/** Bytes of a character at most: a text of this many UTF-16 units fits into a desk. */
const UTF8_BYTES = 3;
const MISSING = 0x8000_0000;

/** A memory with a model in it, which threads may share: it can be posted to another one. */
export interface ModelMemory {
  readonly memory: WebAssembly.Memory;
  readonly dims: number;
}

/** Puts a model into a memory of its own. Throws a `RangeError` for files that do not belong together. */
export function layTokenVectors({ vocabulary, vectors, scales }: TokenVectors, build: KernelBuild = 'release'): ModelMemory {
  const tokens = scales.length / FLOAT;
  const dims = vectors.length / tokens;
  if (!Number.isInteger(tokens) || !Number.isInteger(dims) || dims % 32 !== 0) throw new RangeError(`${vectors.length} bytes of vectors are no rows of ${tokens} tokens`);
  const memory = new WebAssembly.Memory({ initial: INITIAL_PAGES, maximum: MAXIMUM_PAGES, shared: true });
  const call = instantiateKernel(loadKernel('embedding', build), memory) as EmbeddingExports;
  call.layModel(tokens, dims, vocabulary.length);
  memory.grow(Math.ceil(call.modelEnd() / PAGE) - INITIAL_PAGES);
  const bytes = new Uint8Array(memory.buffer);
  bytes.set(vectors, call.vectorsAt());
  bytes.set(scales, call.scalesAt());
  bytes.set(vocabulary, call.vocabularyAt());
  const lines = call.indexVocabulary();
  if (lines !== tokens) throw new RangeError(`expected a vocabulary of ${tokens} tokens, got ${lines}`);
  return { memory, dims };
}

/**
 * Makes vectors of texts as sums of token vectors. Each thread has its own over a memory that all share; it holds one text at
 * a time and so is not to be used by two calls at once, which cannot happen, since they are synchronous.
 */
export class EmbeddingKernel {
  readonly dims: number;
  /** Of longer texts the first so many UTF-16 units count. */
  readonly maxLength: number;
  readonly #memory: WebAssembly.Memory;
  readonly #call: EmbeddingExports;
  readonly #desk: number;
  readonly #text: Buffer;
  /** Where pages of folds can be put, and where that room ends. */
  #free = 0;
  #freeEnd = 0;

  constructor({ memory, dims }: ModelMemory, build: KernelBuild = 'release') {
    this.dims = dims;
    this.#memory = memory;
    this.#call = instantiateKernel(loadKernel('embedding', build), memory) as EmbeddingExports;
    this.#desk = this.#grow(this.#call.deskBytes());
    this.maxLength = Math.floor(this.#call.textRoom() / UTF8_BYTES);
    this.#text = Buffer.from(memory.buffer, this.#desk, this.#call.textRoom());
  }

  /** Ids of a text's tokens, in order. */
  tokens(text: string): Uint16Array {
    const count = this.#tokenize(text);
    return new Uint16Array(this.#memory.buffer, this.#call.tokensOf(this.#desk), count).slice();
  }

  /** The vector of a text, of length 1; undefined when it has no token that the model knows anything of. */
  vector(text: string): Float32Array<ArrayBuffer> | undefined {
    this.#call.sumTokens(this.#desk, this.#tokenize(text));
    const output = new Float32Array(this.#memory.buffer, this.#call.outputOf(this.#desk), this.dims);
    return output.every((value) => value === 0) ? undefined : Float32Array.from(output);
  }

  #tokenize(text: string): number {
    const length = this.#text.write(text.length > this.maxLength ? text.slice(0, this.maxLength) : text);
    for (;;) {
      const count = this.#call.tokenize(this.#desk, length) >>> 0;
      if (count < MISSING) return count;
      this.#addFolds(count - MISSING);
    }
  }

  #addFolds(page: number): void {
    const bytes = this.#call.foldPageBytes();
    if (this.#free + bytes > this.#freeEnd) {
      this.#free = this.#grow(PAGE);
      this.#freeEnd = this.#free + PAGE;
    }
    new Uint8Array(this.#memory.buffer).set(foldPage(page), this.#free);
    new DataView(this.#memory.buffer).setUint32(this.#call.directoryOf(this.#desk) + page * 4, this.#free, true);
    this.#free += bytes;
  }

  /** The address of new bytes, which are zero and nobody else's. */
  #grow(bytes: number): number {
    return this.#memory.grow(Math.ceil(bytes / PAGE)) * PAGE;
  }
}
