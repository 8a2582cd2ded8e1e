import { resolve } from 'node:path';
import type { Timer } from '../../lib/clock.ts';
import { isInstalled } from '../../lib/files.ts';
import type { Log } from '../../lib/log.ts';
import { ConfigError } from '../../lib/setting-values.ts';
import { workerFile } from '../../lib/thread-client.ts';
import { UNKNOWN_DIMENSIONS } from '../defaults.ts';
import { checkTexts, type EmbeddingProvider, type EmbeddingRole, MAX_BATCH } from '../provider.ts';
import { usableVectors, variantOf, VectorSize } from '../usable-vector.ts';
import { missingLibrary, ModelClient, unusableModel } from './model-client.ts';
import { type ModelProfile, readProfile } from './model-profile.ts';
import { modelSource, SHIPPED_MODEL, shippedSource } from './model-source.ts';

export interface LocalOptions {
  readonly model: string | undefined;
  readonly dimensions: number | undefined;
  readonly offline: boolean;
  readonly cacheFolder: string;
  /** Whether the model may be a folder of this machine; true if absent. */
  readonly mayBeFolder?: boolean;
  readonly timer: Timer;
  readonly log: Log;
  /** Replaces @huggingface/transformers; for tests. */
  readonly library?: string;
  /** Replaces the thread that runs models; for tests. */
  readonly thread?: URL;
  /** Replaces the hub as the place to download from. */
  readonly hubUrl?: string;
}

const LIBRARY = '@huggingface/transformers';
/** A transformer's memory grows with the square of its tokens: 2048 take about 200 MB, 8192 over 3 GB. */
const MAX_TOKENS = 2048;

/**
 * Runs a model within this process, in a separate thread, as its files and its family say (`model-profile.ts`), with
 * vectors of length 1. Texts are truncated to the model's limit and to 2048 tokens. The library is imported only by the
 * first call, which also loads the model and may have to download it; the files of a model that was never downloaded
 * are known after that.
 */
export class LocalProvider implements EmbeddingProvider {
  readonly name = 'local';
  readonly model: string;
  readonly maxBatch = MAX_BATCH;
  readonly isEnglishOnly: boolean;
  readonly #dtype: string;
  readonly #size: VectorSize;
  #profile: ModelProfile;
  readonly #client: ModelClient;

  /**
   * Without a model, uses the one that is included in the package. Throws ConfigError if the library is not installed
   * or the model is invalid.
   */
  constructor(
    { model = SHIPPED_MODEL, dimensions, offline, cacheFolder, mayBeFolder, timer, log, library = LIBRARY, thread,
      hubUrl }: LocalOptions,
  ) {
    if (!isInstalled(library)) throw new ConfigError([missingLibrary(library)]);
    const folder = resolve(cacheFolder);
    const source = model === SHIPPED_MODEL ? shippedSource() : modelSource(model, folder, mayBeFolder);
    this.model = model;
    this.isEnglishOnly = model === SHIPPED_MODEL;
    this.#dtype = source.dtype;
    this.#profile = readProfile(source.folder, model);
    if (this.#profile.problem !== undefined) throw new ConfigError([unusableModel(model, this.#profile.problem)]);
    this.#size = new VectorSize(dimensions, this.#profile.dimensions ?? UNKNOWN_DIMENSIONS);
    this.#client = new ModelClient({
      thread: thread ?? workerFile(import.meta.url, 'thread'),
      data: { library, ...source, name: model, maxTokens: MAX_TOKENS, offline, cacheFolder: folder, hubUrl },
      timer,
      log,
      onLoaded: (profile) => void (this.#profile = profile),
    });
  }

  get variant(): string {
    const { pooling, prefixes } = this.#profile;
    return variantOf(['in-process', this.#dtype, ...(pooling === 'mean' ? [] : [`pooling=${pooling}`])], prefixes);
  }

  get dimensions(): number {
    return this.#size.value;
  }

  async embed(texts: readonly string[], role: EmbeddingRole, signal?: AbortSignal): Promise<Float32Array[]> {
    checkTexts(texts);
    const vectors = await this.#client.embed(texts, role, signal);
    return usableVectors(vectors, texts.length, this.#size, this.name);
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}
