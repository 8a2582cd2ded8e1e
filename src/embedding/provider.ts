import type { Log } from '../lib/log.ts';
import type { Timer } from '../lib/timer.ts';

/** What a text is for. Models that were trained to tell the two apart embed a query unlike a document. */
export type EmbeddingRole = 'document' | 'query';

/** How documents are best cut for a model, where that is not the service's usual way. */
export interface PassageStyle {
  /** Characters of a passage at most, unless the settings of the server say otherwise. */
  readonly size: number;
  /** What the first passage of a document counts in its score, from 0 to 1; its best passage counts the rest. */
  readonly leadWeight: number;
  /** How vectors are kept where their collection does not say. */
  readonly stored: 'int8';
}

/** Turns texts into vectors. */
export interface EmbeddingProvider {
  readonly name: 'openai' | 'voyage' | 'local' | 'builtin';
  readonly model: string;
  /**
   * Size of its vectors. Until the first call that is the configured size, or what is known of the
   * model; of a model that nothing is known of, the provider's default, and from the first call on the truth.
   */
  readonly dimensions: number;
  /** Tells apart what makes vectors incomparable beside the model: prefixes, dtype, dimensions asked ... */
  readonly variant: string;
  /**
   * One vector a text, in order. At most `maxBatch` texts, none of them blank. Every vector has
   * `dimensions` finite components and a length that is neither zero nor beyond 32-bit floats; a
   * call any of whose vectors is otherwise fails as a whole. Rejects with EmbeddingError, also when
   * the signal aborts.
   */
  embed(texts: readonly string[], role: EmbeddingRole, signal?: AbortSignal): Promise<Float32Array[]>;
  /** Most texts of one call. */
  readonly maxBatch: number;
  /** Passages that suit the model, each to be embedded behind the title and the headings above it; absent for the service's usual chunks. */
  readonly passages?: PassageStyle | undefined;
  /** Cancels what is under way and lets go of threads and memory; calls after that reject. */
  close(): Promise<void>;
}

/** Absent and empty fields stand for the provider's default. */
export interface ProviderConfig {
  /** `ollama` is `local` by URL, at http://localhost:11434 when no URL is given. */
  readonly provider: 'openai' | 'voyage' | 'local' | 'ollama' | 'builtin';
  /** Required by the hosted providers, sent to no other. */
  readonly apiKey?: string | undefined;
  readonly apiUrl?: string | undefined;
  /** A model's name; in-process also the folder of a model. */
  readonly model?: string | undefined;
  readonly dimensions?: number | undefined;
  /** In-process: never download a model. */
  readonly offline?: boolean | undefined;
  /** In-process: where downloaded models are kept; `data/models` when absent. */
  readonly cacheFolder?: string | undefined;
  /** Named by a user and not by the operator of the server: the model must be one of the hub, no folder of this machine. */
  readonly untrusted?: boolean | undefined;
}

export interface ProviderDeps {
  readonly fetch?: typeof fetch | undefined;
  readonly timer?: Timer | undefined;
  readonly log?: Log | undefined;
  readonly random?: (() => number) | undefined;
}

/** Texts of one call, for every provider (decisions, section 4.3). */
export const MAX_BATCH = 64;
