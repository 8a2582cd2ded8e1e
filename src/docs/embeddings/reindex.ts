import type { EmbeddingProvider } from '../../embedding/index.ts';
import { ServiceError } from '../../errors/index.ts';
import { type Clock, unixSeconds } from '../../lib/clock.ts';
import type { BodyCodec, Sql } from '../../storage/index.ts';
import type { Chunker } from './chunker.ts';
import { type EmbeddedDocument, embedDocuments, type Maker } from './embed-documents.ts';
import { fitting, loadDocuments, type LoadedDocument, type UnreadableDocument } from './load-documents.ts';
import { embedElsewhere } from './passages/embed-elsewhere.ts';
import type { CutSettings } from './passages/make-passages.ts';
import type { Providers } from './providers.ts';
import { type EmbeddingStatus, statusPage } from './queue/state-rows.ts';
import { reasonOf } from './queue/workers.ts';
import type { VectorStore } from './store-vectors.ts';

export interface ReindexDeps {
  /** The name of the space into which documents are embedded. */
  readonly space: string;
  readonly sql: Sql;
  readonly codec: BodyCodec;
  readonly clock: Clock;
  readonly chunker: Chunker;
  readonly settings: CutSettings;
  readonly providers: Providers;
  readonly store: VectorStore;
  /** Documents that are being embedded now; the queue skips them. */
  readonly inFlight: Set<number>;
  /** Called when documents are no longer in `inFlight`: one that was written meanwhile waits in the queue. */
  readonly onDone: () => void;
}

/** The response of `POST /v1/vector-reindex`. */
interface ReindexResult {
  embedded: number;
  skipped: number;
  failed: number;
  errors: string[];
  totalChunks: number;
}

/** Number of documents that one statement examines; they are embedded together as far as their bodies fit. */
const PAGE = 64;
const GROUP_BYTES = 4 * 2 ** 20;

/** Number of groups that are embedded at the same time, as in the queue. */
const LANES = 2;

/** Reindexing gives up after this many provider failures in a row, each of them after the provider's own attempts. */
const MAX_FAILURES = 3;

/** Maximum number of reasons in a response; one more line counts the rest. */
const MAX_ERRORS = 100;

/** Embeds the missing and outdated documents of a collection, or all of them. */
class Reindexing {
  readonly #deps: ReindexDeps;
  readonly #provider: EmbeddingProvider;
  readonly #force: boolean;
  readonly #signal: AbortSignal;
  readonly #result: ReindexResult = { embedded: 0, skipped: 0, failed: 0, errors: [], totalChunks: 0 };
  readonly #failed = new AbortController();
  #failures = 0;

  private constructor(deps: ReindexDeps, provider: EmbeddingProvider, force: boolean, signal: AbortSignal) {
    this.#deps = deps;
    this.#provider = provider;
    this.#force = force;
    this.#signal = AbortSignal.any([signal, this.#failed.signal]);
  }

  /**
   * Rejects with `invalid_argument` without a provider, and when the signal aborts; documents embedded before that stay
   * embedded.
   */
  static async run(deps: ReindexDeps, collection: string, force: boolean, signal: AbortSignal): Promise<ReindexResult> {
    const result = await deps.providers.use((provider) =>
      new Reindexing(deps, provider, force, signal).#run(collection.toLowerCase())
    );
    if (result === undefined) throw new ServiceError('invalid_argument', 'embedding provider not configured');
    return result;
  }

  async #run(collection: string): Promise<ReindexResult> {
    const groups = this.#groups(collection);
    const lane = async (): Promise<void> => {
      for (let next = await groups.next(); !next.done; next = await groups.next()) await this.#embed(next.value);
    };
    // A failing lane stops the others; the promise rejects after all have ended.
    const lanes = await Promise.allSettled(Array.from({ length: LANES }, () =>
      lane().catch((error: unknown) => {
        this.#failed.abort(error);
        throw error;
      })));
    const failed = lanes.find((outcome) => outcome.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    const { errors } = this.#result;
    const more = errors.length - MAX_ERRORS;
    return more > 0 ? { ...this.#result, errors: [...errors.slice(0, MAX_ERRORS), `and ${more} more`] } : this.#result;
  }

  /** The documents to embed. All lanes share this generator, which yields one group at a time. */
  async *#groups(collection: string): AsyncGenerator<EmbeddingStatus[], undefined> {
    const { space, sql, clock } = this.#deps;
    for (let after = '', more = true; more;) {
      this.#signal.throwIfAborted();
      const page = await statusPage(sql.background, space, collection, after, unixSeconds(clock), PAGE);
      const due = page.filter((status) => this.#force || this.#isDue(status));
      this.#result.skipped += page.length - due.length;
      for (let rest = due; rest.length > 0;) {
        const group = fitting(rest, PAGE, GROUP_BYTES);
        rest = rest.slice(group.length);
        yield group;
      }
      after = page.at(-1)?.id ?? after;
      more = page.length === PAGE;
    }
  }

  #isDue(status: EmbeddingStatus): boolean {
    const { embedded } = status;
    if (embedded === undefined || embedded.crc !== status.crc || embedded.bytes !== status.bytes) return true;
    if (embedded.model !== this.#provider.model || embedded.variant !== this.#provider.variant) return true;
    return embedded.chunking !== this.#deps.chunker.chunkingOf(status);
  }

  async #embed(group: readonly EmbeddingStatus[]): Promise<void> {
    if (this.#failures >= MAX_FAILURES) return this.#giveUp(group);
    const { inFlight, onDone } = this.#deps;
    const mine = group.map(({ ord }) => ord).filter((ord) => !inFlight.has(ord));
    for (const ord of mine) inFlight.add(ord);
    try {
      const done = await embedElsewhere(this.#deps, this.#provider, group, (model, embedded) =>
        this.#publish(model, embedded), this.#signal);
      await this.#embedAll(group.map(({ ord }) => ord).filter((ord) => !done.has(ord)));
    } finally {
      for (const ord of mine) inFlight.delete(ord);
      onDone();
    }
  }

  async #embedAll(ords: readonly number[]): Promise<void> {
    const { sql, codec, chunker, clock } = this.#deps;
    const { documents, unreadable } = await loadDocuments(sql, codec, chunker, ords, unixSeconds(clock));
    for (const document of unreadable) await this.#refused(document, document.error);
    let left = documents;
    while (left.length > 0) {
      const handled = new Set<number>();
      try {
        await embedDocuments(this.#provider, left, {
          onEmbedded: async (model, embedded) => {
            await this.#publish(model, embedded);
            for (const { document } of embedded) handled.add(document.ord);
          },
          onRefused: async (document, error) => {
            handled.add(document.ord);
            await this.#refused(document, error);
          },
          onFailed: async (failed, error) => {
            this.#failures++;
            for (const document of failed) {
              handled.add(document.ord);
              this.#fail(document, error);
            }
          },
        }, this.#signal);
      } catch (error) {
        this.#signal.throwIfAborted();
        if (handled.size === 0 || this.#failures === 0) throw error;
      }
      left = left.filter(({ ord }) => !handled.has(ord));
      if (this.#failures >= MAX_FAILURES) return this.#giveUp(left);
    }
  }

  async #publish(model: Maker, embedded: readonly EmbeddedDocument[]): Promise<void> {
    const stored = await this.#deps.store.store(model, embedded);
    this.#failures = 0;
    for (const { document, chunks } of embedded) {
      // A document that was written meanwhile is in the queue with its new body.
      if (!stored.has(document.ord)) this.#result.skipped++;
      else this.#result.embedded++;
      this.#result.totalChunks += stored.has(document.ord) ? chunks.length : 0;
    }
  }

  async #refused(document: LoadedDocument | UnreadableDocument, error: Error): Promise<void> {
    const { ord, crc, bytes } = document;
    await this.#deps.store.note([{ ord, crc, bytes, state: 'failed', reason: reasonOf(error) }]);
    this.#fail(document, error);
  }

  #giveUp(documents: readonly { readonly id: string }[]): void {
    for (const document of documents)
      this.#fail(document, new Error('not tried, because the embedding provider fails'));
  }

  #fail({ id }: { readonly id: string }, error: Error): void {
    this.#result.failed++;
    this.#result.errors.push(`${id}: ${reasonOf(error)}`);
  }
}

interface Job {
  readonly force: boolean;
  readonly stop: AbortController;
  readonly result: Promise<ReindexResult>;
  callers: number;
}

/**
 * Runs at most one reindexing of a collection at a time. A call that a running job already covers shares it and its
 * result; a call that needs more waits until that job has ended. A job is stopped when all its callers have left.
 */
export class ReindexJobs {
  readonly #deps: ReindexDeps;
  readonly #jobs = new Map<string, Job>();
  #stopped = false;

  constructor(deps: ReindexDeps) {
    this.#deps = deps;
  }

  async run(collection: string, force: boolean, signal: AbortSignal): Promise<ReindexResult> {
    const name = collection.toLowerCase();
    for (let job = this.#jobs.get(name); job !== undefined; job = this.#jobs.get(name)) {
      if (!job.stop.signal.aborted && (job.force || !force)) return join(job, signal);
      await job.result.catch(() => undefined); // its own callers receive the error
      signal.throwIfAborted();
    }
    return join(this.#begin(name, force), signal);
  }

  /** Stops all running jobs and waits for their end. */
  async stop(): Promise<void> {
    this.#stopped = true;
    for (const { stop } of this.#jobs.values()) stop.abort(stopping());
    await Promise.allSettled([...this.#jobs.values()].map(({ result }) => result));
  }

  /** Allows new jobs after `stop`. */
  start(): void {
    this.#stopped = false;
  }

  #begin(name: string, force: boolean): Job {
    const stop = new AbortController();
    if (this.#stopped) stop.abort(stopping());
    const result = Reindexing.run(this.#deps, name, force, stop.signal).finally(() => this.#jobs.delete(name));
    result.catch(() => undefined); // all callers may have left
    const job: Job = { force, stop, result, callers: 0 };
    this.#jobs.set(name, job);
    return job;
  }
}

function stopping(): ServiceError {
  return new ServiceError('unavailable', 'the service is stopping');
}

/** The job's result; rejects with the signal's reason as soon as that aborts. */
async function join(job: Job, signal: AbortSignal): Promise<ReindexResult> {
  job.callers++;
  const gone = Promise.withResolvers<never>();
  const leave = (): void => gone.reject(signal.reason);
  if (signal.aborted) leave();
  else signal.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([job.result, gone.promise]);
  } finally {
    signal.removeEventListener('abort', leave);
    if (--job.callers === 0) job.stop.abort();
  }
}
