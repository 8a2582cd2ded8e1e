import type { ModelMemory } from '../kernels/embedding.ts';
import type { Timer } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';

export interface EmbeddingErrorDetails {
  /** True when the same call may succeed later. */
  readonly retryable: boolean;
  /** HTTP status of the provider's response, if there was one. */
  readonly status?: number | undefined;
  /** How long the provider asked callers to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/**
 * Texts could not be embedded: the provider cannot be reached, refused the call, or returned unusable vectors. The
 * message may be shown to users and logged: it never contains a key.
 */
export class EmbeddingError extends Error {
  /** True when the same call may succeed later: a broken connection, an overload, a cancelled call. */
  readonly retryable: boolean;
  /** HTTP status of the provider's response; undefined if there was none. */
  readonly status?: number;
  /** How long the provider asked callers to wait, in milliseconds. */
  readonly retryAfterMs?: number;

  constructor(message: string, { retryable, status, retryAfterMs, cause }: EmbeddingErrorDetails) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'EmbeddingError';
    this.retryable = retryable;
    if (status !== undefined) this.status = status;
    if (retryAfterMs !== undefined) this.retryAfterMs = retryAfterMs;
  }
}

/** The error of a call whose signal was aborted; the signal's reason is its cause. */
export function cancelled(signal: AbortSignal): EmbeddingError {
  return new EmbeddingError('the embedding was cancelled', { retryable: true, cause: signal.reason });
}

/** The error of calls after the provider was closed. */
export function closed(): EmbeddingError {
  return new EmbeddingError('the embedding provider is closed', { retryable: true });
}

/** The purpose of a text. Models that were trained to distinguish the two embed queries and documents differently. */
export type EmbeddingRole = 'document' | 'query';

/** How documents should be divided for a model, if it differs from the service's default. */
export interface PassageStyle {
  /** Maximum number of characters of a passage, unless the server's settings specify another. */
  readonly size: number;
  /** Weight of a document's first passage in its score, from 0 to 1; its best passage has the remaining weight. */
  readonly leadWeight: number;
  /** How vectors are stored if their collection does not specify it. */
  readonly stored: 'int8';
  /** Whether vectors of texts in English are made otherwise than those in other languages. */
  readonly byLanguage?: boolean;
}

/** Compares texts token by token. */
export interface TokenMatcher {
  /**
   * The distinct tokens of a text that consists of passages, and the number of those of the first one, with which they
   * begin. `isEnglish` is undefined if nobody knows.
   */
  tokensOf(passages: readonly string[],
    isEnglish?: boolean): Promise<{ readonly all: Uint16Array<ArrayBuffer>; readonly lead: number }>;
  /**
   * How well texts have the tokens of a query or similar ones, from 0 to 1: the mean of the whole text and of its first
   * `lead` tokens.
   */
  matches(query: Uint16Array, texts: readonly { readonly all: Uint16Array; readonly lead: number }[]): number[];
}

/** Converts texts to vectors. */
export interface EmbeddingProvider {
  readonly name: 'openai' | 'voyage' | 'local' | 'builtin';
  readonly model: string;
  /**
   * Size of its vectors. Before the first call it is the configured size or the known size of the model; for an unknown
   * model, the provider's default. After the first call, it is the actual size.
   */
  readonly dimensions: number;
  /**
   * Identifies everything besides the model that makes vectors incomparable: prefixes, dtype, requested dimensions ...
   */
  readonly variant: string;
  /**
   * Returns one vector for each text, in order. At most `maxBatch` texts may be passed, none of them blank. Every
   * vector has `dimensions` finite components and a length that is neither zero nor too large for 32-bit floats; if any
   * vector does not, the whole call fails. Rejects with EmbeddingError, also if the signal aborts. `isEnglish` says it
   * of each text of which it is known.
   */
  embed(texts: readonly string[], role: EmbeddingRole, signal?: AbortSignal,
    isEnglish?: readonly (boolean | undefined)[]): Promise<Float32Array[]>;
  /** Maximum number of texts in one call. */
  readonly maxBatch: number;
  /**
   * Passages that suit the model, each of which is embedded after its title and headings; absent for the service's
   * usual chunks.
   */
  readonly passages?: PassageStyle | undefined;
  /**
   * For a model with which another thread can embed documents, by `embedText`, into the same vectors; rejects as
   * `embed` does. `isEnglish`: whether all are known to be English.
   */
  readonly sharedModel?: ((isEnglish: boolean) => Promise<ModelMemory>) | undefined;
  /**
   * For a model that does not know all scripts: whether it knows that of most of a text; otherwise the text's vector
   * only tells its spelling. Rejects as `embed` does.
   */
  readonly knows?: ((text: string) => Promise<boolean>) | undefined;
  /** Whether vectors of texts in other languages than English are worthless. */
  readonly isEnglishOnly?: boolean | undefined;
  /** For a model that has vectors of tokens; rejects as `embed` does. */
  readonly matcher?: (() => Promise<TokenMatcher>) | undefined;
  /** Cancels calls in progress and releases threads and memory; later calls reject. */
  close(): Promise<void>;
}

/** Absent and empty fields mean the provider's default. */
export interface ProviderConfig {
  /** `ollama` is `local` by URL, with the default URL http://localhost:11434. */
  readonly provider: 'openai' | 'voyage' | 'local' | 'ollama' | 'builtin';
  /** Required by the hosted providers, sent to no others. */
  readonly apiKey?: string | undefined;
  readonly apiUrl?: string | undefined;
  /** A model's name; in-process also the folder of a model. */
  readonly model?: string | undefined;
  readonly dimensions?: number | undefined;
  /** In-process: never download a model. */
  readonly offline?: boolean | undefined;
  /** In-process: folder for downloaded models; `data/models` if absent. */
  readonly cacheFolder?: string | undefined;
  /**
   * True if a user, and not the server's operator, named the model: it must be a hub model, not a folder of this
   * machine.
   */
  readonly untrusted?: boolean | undefined;
}

export interface ProviderDeps {
  readonly fetch?: typeof fetch | undefined;
  readonly timer?: Timer | undefined;
  readonly log?: Log | undefined;
  readonly random?: (() => number) | undefined;
}

/** Maximum number of texts in one call, for every provider (decisions, section 4.3). */
export const MAX_BATCH = 64;

/**
 * Throws unless a provider can embed all of the texts. Blank texts are never accepted: hosted providers refuse the
 * whole batch of a blank text, and others return a meaningless vector for it.
 */
export function checkTexts(texts: readonly string[]): void {
  if (texts.length > MAX_BATCH)
    throw new EmbeddingError(`expected at most ${MAX_BATCH} texts, got ${texts.length}`, { retryable: false });
  const blank = texts.findIndex((text) => text.trim() === '');
  if (blank >= 0)
    throw new EmbeddingError(`text ${blank + 1} of ${texts.length} is blank: it has no embedding`, {
      retryable: false,
    });
}
