import { EmbeddingError, type EmbeddingProvider } from '../../../embedding/index.ts';
import { ServiceError } from '../../../errors/index.ts';
import { SimilarityKernel } from '../../../kernels/similarity.ts';
import { ConfigError } from '../../../lib/config-error.ts';
import type { Log } from '../../../lib/log.ts';
import type { Timer } from '../../../lib/timer.ts';
import type { Sql } from '../../../storage/index.ts';
import { BackgroundPass } from './background-pass.ts';
import { PassageEncoder, type PassageEncoderDeps } from './passage-encoder.ts';
import { countEncoded, nameOf, type PassageName } from './passage-rows.ts';

/** How a search may be reordered. */
export type Rerank = 'encoder' | 'none';

/** What the encoder knows of what a search found (decision D-148). */
export interface Encoder {
  /**
   * Whether a search is to be reordered: as it asks, else as the server does. Throws `invalid_argument` when it asks by name
   * and there is no encoder.
   */
  isWanted(asked: Rerank | undefined): boolean;
  /**
   * How similar passages are to a text, in their order; undefined for one whose vector was not there within the budget. Vectors
   * that had to be made are kept. Never rejects, except for the signal.
   */
  similarities(text: string, passages: readonly PassageName[], signal?: AbortSignal): Promise<(number | undefined)[]>;
  /** What `/v1/vector-stats` shows; undefined where no encoder is installed. */
  describe(): { readonly model: string; readonly dimensions: number; readonly default: boolean } | undefined;
  /** Passages that have a vector of the encoder, by collection. */
  counts(): Promise<Map<string, number>>;
}

export interface EncoderOptions extends PassageEncoderDeps {
  readonly sql: Sql;
  readonly log: Log;
  readonly timer: Timer;
  readonly rerank: Rerank;
  readonly budgetMs: number;
  readonly isWritable: boolean;
  /** Throws a ConfigError where no encoder is installed. */
  readonly create: () => EmbeddingProvider;
  /** Whether documents wait for their vectors. */
  readonly isBusy: () => boolean;
}

/** Reorders what searches find, and keeps the vectors that it needs for that. */
export class EncoderService implements Encoder {
  readonly #options: EncoderOptions;
  readonly #passages: PassageEncoder;
  readonly #pass: BackgroundPass;
  /** Null where none is installed. */
  #provider: EmbeddingProvider | null | undefined;
  /** Searches that wait for it. */
  #waiting = 0;
  /** What searches have begun, which may go on when their time is over. */
  readonly #working = new Set<Promise<void>>();

  constructor(options: EncoderOptions) {
    this.#options = options;
    const { sql, timer, log, mayKeep } = options;
    this.#passages = new PassageEncoder(options);
    this.#pass = new BackgroundPass({ sql, timer, log, mayKeep, isIdle: () => this.#isIdle, fill: (passages) => this.#fill(passages) });
  }

  /** Begins to fill in vectors in the background, where searches are reordered unless they say otherwise. */
  start(): void {
    const { rerank, isWritable, log } = this.#options;
    if (rerank !== 'encoder') return;
    if (this.#encoder === null) log.warn({}, 'SVC_EMBEDDING_RERANK: no encoder is installed; searches are not reordered');
    else if (isWritable) this.#pass.start();
  }

  /** Ends what is under way in the background. */
  async stop(): Promise<void> {
    await this.#pass.stop();
    await Promise.all(this.#working);
  }

  /** Cancels what is under way. */
  async close(): Promise<void> {
    await this.#provider?.close();
    await this.stop();
    this.#provider = undefined;
  }

  isWanted(asked: Rerank | undefined): boolean {
    if (asked === 'encoder' && this.#encoder === null) throw new ServiceError('invalid_argument', 'rerank: no encoder is installed; install @huggingface/transformers, or leave rerank out');
    return (asked ?? this.#options.rerank) === 'encoder' && this.#encoder !== null;
  }

  async similarities(text: string, passages: readonly PassageName[], signal?: AbortSignal): Promise<(number | undefined)[]> {
    const provider = this.#encoder;
    if (provider === null || passages.length === 0) return passages.map(() => undefined);
    const { timer, budgetMs, log } = this.#options;
    const done = new AbortController();
    let isOver = false;
    const over = timer.sleep(budgetMs, AbortSignal.any([done.signal, ...(signal ? [signal] : [])])).then(() => void (isOver = true));
    const found: Found = { query: undefined, vectors: new Map() };
    this.#waiting++;
    const work = this.#find(provider, text, passages, found, () => isOver).catch((error: unknown) => {
      if (!isOver || !(error instanceof EmbeddingError)) log.warn({ err: error }, 'the encoder failed; a search was not reordered by it');
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
    return provider === null ? undefined : { model: provider.model, dimensions: provider.dimensions, default: this.#options.rerank === 'encoder' };
  }

  counts(): Promise<Map<string, number>> {
    return countEncoded(this.#options.sql.background);
  }

  /** Fills `found`; stops after what is under way when the time is over. */
  async #find(provider: EmbeddingProvider, text: string, passages: readonly PassageName[], found: Found, isOver: () => boolean): Promise<void> {
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
    await this.#passages.make(provider, passages.filter((passage) => !kept.has(nameOf(passage))), made, () => !this.#isIdle);
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

/** What there is at some moment. */
interface Found {
  query: Float32Array | undefined;
  readonly vectors: Map<string, Float32Array>;
}

/** Cosines. */
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
