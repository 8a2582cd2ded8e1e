import { EmbeddingError, type EmbeddingProvider, mayBeEnglish } from '../../../embedding/index.ts';
import { ServiceError } from '../../../errors/index.ts';
import { SimilarityKernel } from '../../../kernels/similarity.ts';
import type { Timer } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { Loop } from '../../../lib/loop.ts';
import { ConfigError } from '../../../lib/setting-values.ts';
import { inList, type Sql } from '../../../storage/index.ts';
import { isEnglish } from '../known-language.ts';
import { PassageEncoder, type PassageEncoderDeps } from './passage-encoder.ts';
import { countEncoded, lackingAfter, type LackingDocument, nameOf, type PassageName } from './passage-rows.ts';

/** How a search may be reordered. */
export type Rerank = 'encoder' | 'none';

/**
 * The encoder's opinion on search results in a space: it finds better and takes much longer, so its time has a limit.
 */
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
  similarities(text: string, passages: readonly Omit<PassageName, 'space'>[],
    signal?: AbortSignal): Promise<(number | undefined)[]>;
  /**
   * Whether it knows the language of a text, and those of some documents. A text may be in a language that it knows
   * unless its words say otherwise, a document unless its `lang` does.
   */
  known(text: string, ords: readonly number[]): Promise<KnownLanguages>;
  /** The data for `/v1/vector-stats`; undefined if no encoder is installed. */
  describe(): { readonly model: string; readonly dimensions: number; readonly default: boolean } | undefined;
  /** Number of passages that have a vector of the encoder, by collection; none if no encoder is installed. */
  counts(): Promise<Map<string, number>>;
}

/** What is in a language that the encoder knows. */
export interface KnownLanguages {
  readonly isText: boolean;
  readonly ords: ReadonlySet<number>;
}

interface EncoderOptions extends PassageEncoderDeps {
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
export class EncoderService {
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

  /** For searches in a space. */
  in(space: string): Encoder {
    return {
      isWanted: (asked) => this.#isWanted(asked),
      similarities: (text, passages, signal) =>
        this.#similarities(text, passages.map((passage) => ({ ...passage, space })), signal),
      known: (text, ords) => this.#known(text, ords),
      describe: () => this.describe(),
      counts: () => this.counts(),
    };
  }

  #isWanted(asked: Rerank | undefined): boolean {
    if (asked === 'encoder' && this.#encoder === null)
      throw new ServiceError('invalid_argument',
        'rerank: no encoder is installed; install @huggingface/transformers, or leave rerank out');
    return (asked ?? this.#options.rerank) === 'encoder' && this.#encoder !== null;
  }

  async #similarities(text: string, passages: readonly PassageName[],
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
    const made: MadeVectors = { query: undefined, vectors: new Map() };
    this.#waiting++;
    const work = this.#find(provider, text, passages, made, () => isOver).catch((error: unknown) => {
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
    return similaritiesTo(made, passages);
  }

  async #known(text: string, ords: readonly number[]): Promise<KnownLanguages> {
    if (this.#encoder?.isEnglishOnly !== true || ords.length === 0) return { isText: true, ords: new Set(ords) };
    const { marks, params } = inList(ords);
    const rows = await this.#options.sql.all<{ ord: number; lang: string }>(
      `SELECT ord, lang FROM documents WHERE ord IN (${marks})`,
      params,
    );
    return {
      isText: await mayBeEnglish(text),
      ords: new Set(rows.filter(({ lang }) => isEnglish(lang) !== false).map(({ ord }) => ord)),
    };
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

  /** Fills `made`; after the time budget it finishes only the running call. */
  async #find(provider: EmbeddingProvider, text: string, passages: readonly PassageName[], made: MadeVectors,
    isOver: () => boolean): Promise<void>
  {
    [made.query] = await provider.embed([text], 'query');
    for (const [name, vector] of await this.#passages.kept(provider, passages)) made.vectors.set(name, vector);
    const missing = passages.filter((passage) => !made.vectors.has(nameOf(passage)));
    if (!isOver()) await this.#passages.make(provider, missing, made.vectors, isOver);
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
interface MadeVectors {
  query: Float32Array | undefined;
  readonly vectors: Map<string, Float32Array>;
}

/** Cosine similarities. */
function similaritiesTo({ query, vectors }: MadeVectors, passages: readonly PassageName[]): (number | undefined)[] {
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

interface BackgroundPassOptions {
  readonly timer: Timer;
  readonly log: Log;
  /** Whether the processor is free: no query waits, and no document waits for its vectors. */
  readonly isIdle: () => boolean;
  readonly mayKeep: (collection: string) => boolean;
  /** The next documents after one, by ordinal and space, that lack vectors. */
  readonly lackingAfter: (after: Pick<LackingDocument, 'ord' | 'space'>, limit: number) => Promise<LackingDocument[]>;
  /**
   * Makes and stores the missing vectors of passages; returns how many it made. Stops early when the server is no
   * longer idle.
   */
  readonly fill: (passages: readonly PassageName[]) => Promise<number>;
}

/** Milliseconds until it checks again whether the server is idle. */
const BUSY_MS = 1000;
/** Milliseconds until it looks again for passages when there were none, and after a failure. */
const DONE_MS = 30_000;
/** Number of documents that are looked up together. */
const DOCUMENTS = 32;
/** Number of passages between two checks for other work. */
const PASSAGES = 16;

/**
 * Makes the encoder's vectors of all passages while the server is idle, by document, in the order in which they were
 * written.
 */
class BackgroundPass {
  readonly #options: BackgroundPassOptions;
  readonly loop: Loop;

  constructor(options: BackgroundPassOptions) {
    this.#options = options;
    const { timer, log } = options;
    this.loop = new Loop({
      name: 'vectors of the encoder',
      everyMs: DONE_MS,
      timer,
      log,
      failure: 'the encoder could not be used in the background; trying again later',
    }, (signal) => this.#pass(signal));
  }

  /** One pass over every document that lacks vectors. */
  async #pass(signal: AbortSignal): Promise<void> {
    const { lackingAfter, mayKeep } = this.#options;
    for (let last = { ord: 0, space: '' };;) {
      const documents = await lackingAfter(last, DOCUMENTS);
      if (documents.length === 0) return;
      for (const { ord, space, chunks, collection } of documents) {
        if (mayKeep(collection))
          await this.#fill(Array.from({ length: chunks }, (_, chunk) => ({ ord, space, chunk })), signal);
        if (signal.aborted) return;
      }
      last = documents.at(-1)!;
    }
  }

  async #fill(passages: readonly PassageName[], signal: AbortSignal): Promise<void> {
    const { isIdle, timer, fill } = this.#options;
    for (let i = 0; i < passages.length; i += PASSAGES) {
      while (!isIdle() && !signal.aborted) await timer.sleep(BUSY_MS, signal);
      if (signal.aborted) return;
      await fill(passages.slice(i, i + PASSAGES));
    }
  }
}
