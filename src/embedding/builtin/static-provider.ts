import { setImmediate } from 'node:timers/promises';
import { EmbeddingKernel, type ModelMemory } from '../../kernels/embedding.ts';
import { cancelled, checkTexts, closed, type EmbeddingProvider, type EmbeddingRole, MAX_BATCH,
  type TokenMatcher } from '../provider.ts';
import { decodeTokens, encodeTokens } from './token-codes.ts';
import { embedText, mixtureOf, NOT_ENGLISH, type PiecePart, tokenModel } from './token-model.ts';

export const STATIC_MODEL = 'static-en-256';
export const STATIC_DIMENSIONS = 256;
export const STATIC_VARIANT = 'static-1';

/** Number of UTF-16 units embedded between two pauses: one or two milliseconds of work. */
const UNITS_AT_A_TIME = 50_000;

/**
 * The model `static-en-256`: a text's vector is the sum of its tokens' vectors, which were fitted to an encoder of
 * English sentences (`models/README.md`). Texts in other languages have those of `static-multi-256`, which is in the
 * same space, so both have one name: vectors of texts in all languages can be compared. It finds synonyms and
 * translations, needs no network, and runs in WebAssembly on this thread, or on another one with its `sharedModel`. The
 * role has no effect on the vectors. Only the first 100,000 characters of a text are embedded.
 */
export class StaticProvider implements EmbeddingProvider {
  readonly name = 'builtin';
  readonly model = STATIC_MODEL;
  readonly dimensions = STATIC_DIMENSIONS;
  readonly variant = STATIC_VARIANT;
  readonly maxBatch = MAX_BATCH;
  /** The sum of many tokens is unspecific, so passages are short; measured in bench/meaning.ts. */
  readonly passages = { size: 350, leadWeight: 0.3, stored: 'int8', byLanguage: true } as const;
  #kernel: Promise<EmbeddingKernel> | undefined;
  #closed = false;

  async embed(texts: readonly string[], _role: EmbeddingRole, signal?: AbortSignal,
    isEnglish: readonly (boolean | undefined)[] = []): Promise<Float32Array[]>
  {
    checkTexts(texts);
    this.#mustGoOn(signal);
    const kernel = await this.#open();
    const vectors: Float32Array[] = [];
    let since = 0;
    for (const [i, text] of texts.entries()) {
      if (since > UNITS_AT_A_TIME) {
        await setImmediate();
        since = 0;
      }
      this.#mustGoOn(signal);
      since += Math.min(text.length, kernel.maxLength);
      vectors.push(await withPieces(() => embedText(kernel, text, isEnglish[i])));
    }
    return vectors;
  }

  async sharedModel(isEnglish: boolean): Promise<ModelMemory> {
    this.#mustGoOn(undefined);
    return tokenModel(isEnglish ? undefined : 'rows');
  }

  async knows(text: string): Promise<boolean> {
    this.#mustGoOn(undefined);
    const kernel = await this.#open();
    return !(await withPieces(() => mixtureOf(kernel, text))).isUnknown;
  }

  async matcher(): Promise<TokenMatcher> {
    this.#mustGoOn(undefined);
    const kernel = await this.#open();
    return {
      async tokensOf(passages, isEnglish) {
        const text = passages.join('\n');
        const { english, isUnknown } = await withPieces(() => mixtureOf(kernel, text, isEnglish));
        if (isUnknown) return { all: new Uint16Array(), lead: 0 };
        const ids = (some: string) => new Set(english >= MOSTLY ? kernel.tokens(some) : kernel.pieces(some));
        return { all: encodeTokens(ids(text)), lead: encodeTokens(ids(passages[0] ?? '')).length };
      },
      matches: (query, texts) => kernel.matches(decodeTokens({ all: query, lead: 0 }).all, texts.map(decodeTokens)),
    };
  }

  close(): Promise<void> {
    this.#closed = true;
    this.#kernel = undefined;
    return Promise.resolve();
  }

  #open(): Promise<EmbeddingKernel> {
    return this.#kernel ??= tokenModel().then((model) => sharedKernel ??= new EmbeddingKernel(model)).catch(
      (error: unknown) => {
        this.#kernel = undefined;
        throw error;
      },
    );
  }

  #mustGoOn(signal: AbortSignal | undefined): void {
    if (this.#closed) throw closed();
    if (signal?.aborted) throw cancelled(signal);
  }
}

/**
 * Whether a text may be English, by how English its pieces are; true for names and numbers, which are of no language.
 * Rejects as `embed` does.
 */
export async function mayBeEnglish(text: string): Promise<boolean> {
  const model = await tokenModel('words');
  const kernel = sharedKernel ??= new EmbeddingKernel(model);
  const { english, unknown } = kernel.evidence(text);
  return unknown <= FOREIGN && (english === undefined || english > NOT_ENGLISH);
}

/** Share of letters of unknown scripts from which on a text is not English. */
const FOREIGN = 0.5;

/** Share of `static-en-256` in a text from which on the text is compared by its tokens. */
const MOSTLY = 0.5;

/** The result of work, which is repeated when the part of `static-multi-256` was added that it asks for. */
async function withPieces<T extends object>(work: () => T | PiecePart): Promise<T> {
  for (;;) {
    const result = work();
    if (typeof result !== 'string') return result;
    await tokenModel(result);
  }
}

/** One for all providers of this thread, because its working memory is a megabyte that could not be released. */
let sharedKernel: EmbeddingKernel | undefined;
