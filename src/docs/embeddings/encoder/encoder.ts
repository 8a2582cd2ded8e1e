import { EmbeddingError, type EmbeddingProvider } from '../../../embedding/index.ts';
import { ServiceError } from '../../../errors/index.ts';
import { SimilarityKernel } from '../../../kernels/similarity.ts';
import type { Timer } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { ConfigError } from '../../../lib/setting-values.ts';
import type { Sql } from '../../../storage/index.ts';
import { BackgroundPass } from './background-pass.ts';
import { PassageEncoder, type PassageEncoderDeps } from './passage-encoder.ts';
import { countEncoded, lackingAfter, nameOf, type PassageName } from './passage-rows.ts';

/** How a search may be reordered. */
export type Rerank = 'encoder' | 'none';

/** The encoder's opinion on search results: it finds better and takes much longer, so its time has a limit. */
export interface Encoder {
  /**
   * Whether a search is to be reordered: as the request says, otherwise as the server's settings say. Throws
   * `invalid_argument` when the request names the encoder and none is installed.
   */
  isWanted(asked: Rerank | undefined): boolean;
  /**
   * The similarity of each passage to a text, in the order of the passages; undefined if its vector was not available
   * within the time budget. Vectors that had to be made are stored. Rejects only when the signal aborts.
   */
  similarities(text: string, passages: readonly PassageName[], signal?: AbortSignal): Promise<(number | undefined)[]>;
  /** The data for `/v1/vector-stats`; undefined if no encoder is installed. */
  describe(): { readonly model: string; readonly dimensions: number; readonly default: boolean } | undefined;
  /** Number of passages that have a vector of the encoder, by collection; none if no encoder is installed. */
  counts(): Promise<Map<string, number>>;
}

export interface EncoderOptions extends PassageEncoderDeps {
  readonly sql: Sql;
  readonly log: Log;
  readonly timer: Timer;
  readonly rerank: Rerank;
  readonly budgetMs: number;
  readonly isWritable: boolean;
  /** Throws a ConfigError if no encoder is installed. */
  readonly create: () => EmbeddingProvider;
  /** Whether documents wait for their vectors. */
  readonly isBusy: () => boolean;
}

/** Reorders search results, and stores the vectors that it needs for that. */
export class EncoderService implements Encoder {
  readonly #options: EncoderOptions;
  readonly #passages: PassageEncoder;
  readonly #pass: BackgroundPass;
  /** Null if none is installed. */
  #provider: EmbeddingProvider | null | undefined;
  /** Number of searches that wait for it. */
  #waiting = 0;
  /** Work that searches have started; it may continue after their time budget. */
  readonly #working = new Set<Promise<void>>();

  constructor(options: EncoderOptions) {
    this.#options = options;
    const { sql, timer, log, mayKeep } = options;
    this.#passages = new PassageEncoder(options);
    this.#pass = new BackgroundPass({
      timer,
      log,
      mayKeep,
      isIdle: () => this.#isIdle,
      fill: (passages) => this.#fill(passages),
      lackingAfter: async (after,
        limit) => (this.#encoder === null ? [] : lackingAfter(sql.background, this.#encoder, after, limit)),
    });
  }

  /** Starts to make vectors in the background, if searches are reordered by default. */
  start(): void {
    const { rerank, isWritable, log } = this.#options;
    if (rerank !== 'encoder') return;
    if (this.#encoder === null)
      log.warn({}, 'SVC_EMBEDDING_RERANK: no encoder is installed; searches are not reordered');
    else if (isWritable) this.#pass.loop.start();
  }

  /** Ends the work in the background. */
  async stop(): Promise<void> {
    await this.#pass.loop.stop();
    await Promise.all(this.#working);
  }

  /** Cancels running work. */
  async close(): Promise<void> {
    await this.#provider?.close();
    await this.stop();
    this.#provider = undefined;
  }

  isWanted(asked: Rerank | undefined): boolean {
    if (asked === 'encoder' && this.#encoder === null)
      throw new ServiceError('invalid_argument',
        'rerank: no encoder is installed; install @huggingface/transformers, or leave rerank out');
    return (asked ?? this.#options.rerank) === 'encoder' && this.#encoder !== null;
  }

  async similarities(text: string, passages: readonly PassageName[],
    signal?: AbortSignal): Promise<(number | undefined)[]>
  {
    const provider = this.#encoder;
    if (provider === null || passages.length === 0) return passages.map(() => undefined);
    const { timer, budgetMs, log } = this.#options;
    const done = new AbortController();
    let isOver = false;
    const over = timer.sleep(budgetMs, AbortSignal.any([done.signal, ...(signal ? [signal] : [])])).then(() =>
      void (isOver = true)
    );
    const found: Found = { query: undefined, vectors: new Map() };
    this.#waiting++;
    const work = this.#find(provider, text, passages, found, () => isOver).catch((error: unknown) => {
      if (!isOver || !(error instanceof EmbeddingError))
        log.warn({ err: error }, 'the encoder failed; a search was not reordered by it');
    }).finally(() => {
      this.#waiting--;
      this.#working.delete(work);
    });
    this.#working.add(work);
    try {
      await Promise.race([work, over]);
    } finally {
      done.abort();
    }
    signal?.throwIfAborted();
    return similaritiesTo(found, passages);
  }

  describe(): ReturnType<Encoder['describe']> {
    const provider = this.#encoder;
    return provider === null
      ? undefined
      : { model: provider.model, dimensions: provider.dimensions, default: this.#options.rerank === 'encoder' };
  }

  async counts(): Promise<Map<string, number>> {
    const provider = this.#encoder;
    return provider === null ? new Map() : countEncoded(this.#options.sql.background, provider);
  }

  /** Fills `found`; after the time budget it finishes only the running call. */
  async #find(provider: EmbeddingProvider, text: string, passages: readonly PassageName[], found: Found,
    isOver: () => boolean): Promise<void>
  {
    [found.query] = await provider.embed([text], 'query');
    for (const [name, vector] of await this.#passages.kept(provider, passages)) found.vectors.set(name, vector);
    const missing = passages.filter((passage) => !found.vectors.has(nameOf(passage)));
    if (!isOver()) await this.#passages.make(provider, missing, found.vectors, isOver);
  }

  async #fill(passages: readonly PassageName[]): Promise<number> {
    const provider = this.#encoder;
    if (provider === null) return 0;
    const kept = await this.#passages.kept(provider, passages);
    const made = new Map<string, Float32Array>();
    await this.#passages.make(provider, passages.filter((passage) => !kept.has(nameOf(passage))), made,
      () => !this.#isIdle);
    return made.size;
  }

  get #isIdle(): boolean {
    return this.#waiting === 0 && !this.#options.isBusy();
  }

  get #encoder(): EmbeddingProvider | null {
    if (this.#provider !== undefined) return this.#provider;
    try {
      this.#provider = this.#options.create();
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      this.#provider = null;
    }
    return this.#provider;
  }
}

/** The vectors that are available so far. */
interface Found {
  query: Float32Array | undefined;
  readonly vectors: Map<string, Float32Array>;
}

/** Cosine similarities. */
function similaritiesTo({ query, vectors }: Found, passages: readonly PassageName[]): (number | undefined)[] {
  if (query === undefined) return passages.map(() => undefined);
  const kernel = new SimilarityKernel(query.length, 'cosine');
  kernel.add(query);
  return passages.map((passage) => {
    const vector = vectors.get(nameOf(passage));
    if (vector?.length !== query.length) return undefined;
    kernel.add(vector);
    return kernel.score(0, kernel.count - 1);
  });
}
