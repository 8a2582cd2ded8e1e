import { EmbeddingError, type EmbeddingProvider } from '../../../embedding/index.ts';
import { type Backoff, backoffDelay, type Clock, type Timer, unixSeconds } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { type BodyCodec, BodyUnavailable, type Sql } from '../../../storage/index.ts';
import type { Chunker } from '../chunker.ts';
import { type EmbeddingEvents, embedDocuments } from '../embed-documents.ts';
import { fitting, loadDocuments, type LoadedDocument } from '../load-documents.ts';
import { embedElsewhere } from '../passages/embed-elsewhere.ts';
import type { CutSettings } from '../passages/make-passages.ts';
import type { Providers } from '../providers.ts';
import type { VectorStore } from '../store-vectors.ts';
import { nextQueued, type QueuedRow } from './state-rows.ts';

interface WorkersOptions {
  /** The name of the space into which they embed. */
  readonly space: string;
  readonly sql: Sql;
  readonly codec: BodyCodec;
  readonly clock: Clock;
  readonly log: Log;
  readonly timer: Timer;
  readonly chunker: Chunker;
  readonly settings: CutSettings;
  readonly providers: Providers;
  readonly store: VectorStore;
  /** Documents that are being embedded now into the space, by these workers or by reindexing. */
  readonly inFlight: Set<number>;
}

/** Decisions section 4.3. */
const WORKERS = 2;

/** Maximum number of documents taken from the queue together, and of bytes of their bodies. */
const TAKEN_DOCUMENTS = 64;
const TAKEN_BYTES = 4 * 2 ** 20;

/** An idle worker looks again after this time in milliseconds, even if nothing wakes it. */
const IDLE_MS = 600_000;

/** How long workers pause after failures of the provider, and how long a document waits after its own. */
const PROVIDER_BACKOFF: Backoff = { initial: 1000, max: 60_000 };
const DOCUMENT_BACKOFF: Backoff = { initial: 1000, max: 300_000 };

const MAX_REASON = 512;

/**
 * Two workers that embed queued documents into a space. After a failure of the provider they pause, longer after each
 * further failure, and its documents wait. A document that it refuses permanently is stored with the reason.
 */
export class EmbeddingWorkers {
  readonly #options: WorkersOptions;
  /** Workers that have nothing to do until a document is queued or becomes due. */
  readonly #sleepers = new Set<AbortController>();
  #pausing = 0;
  #rested = Promise.withResolvers<void>();
  #abort: AbortController | undefined;
  #running: Promise<unknown> | undefined;
  #wakes = 0;
  #failures = 0;
  /** Ends the pauses after failures of the former provider. */
  #resume = new AbortController();
  #lastError: string | undefined;

  constructor(options: WorkersOptions) {
    this.#options = options;
  }

  /** Why the provider failed last; undefined after it has succeeded again. */
  get lastError(): string | undefined {
    return this.#lastError;
  }

  start(): void {
    if (this.#abort !== undefined) return;
    const { signal } = (this.#abort = new AbortController());
    this.#running = Promise.all(Array.from({ length: WORKERS }, () => this.#work(signal)));
  }

  /** Cancels running calls; their documents stay queued. */
  async stop(): Promise<void> {
    this.#abort?.abort();
    await this.#running;
    this.#abort = this.#running = undefined;
  }

  /** Call this when there are new documents in the queue. */
  wake(): void {
    this.#wakes++;
    for (const sleeper of this.#sleepers) sleeper.abort();
    this.#sleepers.clear();
  }

  /** Resolves when all documents that are due were tried. */
  async settled(): Promise<void> {
    while (this.#abort !== undefined && this.#sleepers.size + this.#pausing < WORKERS) await this.#rested.promise;
  }

  /** Forgets earlier failures, because the provider has changed or time has passed. */
  forgetFailures(): void {
    this.#failures = 0;
    this.#lastError = undefined;
    this.#resume.abort();
    this.#resume = new AbortController();
    this.wake();
  }

  /** Never rejects: failures of the database are retried too. */
  async #work(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const { providers } = this.#options;
      const seen = this.#wakes;
      try {
        const due = await providers.use((provider) => this.#step(provider, signal));
        if (due !== 'now' && seen === this.#wakes) await this.#sleep(due ?? IDLE_MS, signal);
      } catch (error) {
        if (!signal.aborted) await this.#pause(error, signal);
      }
    }
  }

  /**
   * Embeds some documents. Returns `now` when there may be more, otherwise the milliseconds until it should look again.
   */
  async #step(provider: EmbeddingProvider, signal: AbortSignal): Promise<'now' | number> {
    const { space, sql, clock, inFlight } = this.#options;
    const rows = await nextQueued(sql, space, TAKEN_DOCUMENTS + inFlight.size);
    const free = rows.filter(({ ord }) => !inFlight.has(ord));
    const due = free.filter(({ due_at: dueAt }) => dueAt <= clock.now());
    if (due.length === 0) return free.length === 0 ? IDLE_MS : Math.min(IDLE_MS, free[0]!.due_at - clock.now());
    const taken = fitting(due, TAKEN_DOCUMENTS, TAKEN_BYTES);
    for (const { ord } of taken) inFlight.add(ord);
    try {
      await this.#embed(provider, taken, signal);
    } finally {
      for (const { ord } of taken) inFlight.delete(ord);
    }
    return 'now';
  }

  async #embed(provider: EmbeddingProvider, taken: readonly QueuedRow[], signal: AbortSignal): Promise<void> {
    const publish: EmbeddingEvents['onEmbedded'] = async (model, embedded) => {
      await this.#options.store.store(model, embedded);
      this.#failures = 0;
      this.#lastError = undefined;
    };
    const done = await embedElsewhere(this.#options, provider, taken, publish, signal);
    const left = taken.filter(({ ord }) => !done.has(ord));
    if (left.length > 0) await this.#embedHere(provider, left, publish, signal);
  }

  async #embedHere(provider: EmbeddingProvider, taken: readonly QueuedRow[], onEmbedded: EmbeddingEvents['onEmbedded'],
    signal: AbortSignal): Promise<void>
  {
    const { sql, codec, chunker, clock, store } = this.#options;
    const { documents, unreadable } = await loadDocuments(sql, codec, chunker, taken.map(({ ord }) => ord),
      unixSeconds(clock));
    const found = new Set([...documents, ...unreadable].map(({ ord }) => ord));
    await store.forget(taken.map(({ ord }) => ord).filter((ord) => !found.has(ord)));
    const failures = new Map(taken.map(({ ord, attempts }) => [ord, attempts]));
    // If bodies are stored elsewhere, a later attempt may read them.
    for (const each of unreadable.filter(({ error }) => error instanceof BodyUnavailable))
      await this.#putOff([each], failures, each.error);
    const damaged = unreadable.filter(({ error }) => !(error instanceof BodyUnavailable));
    await store.note(
      damaged.map(({ ord, crc, bytes, error }) => ({ ord, crc, bytes, state: 'failed', reason: reasonOf(error) })),
    );
    // A document that has failed is tried alone: it may be what makes the provider fail.
    const alone = new Set(taken.filter(({ attempts }) => attempts > 0).map(({ ord }) => ord));
    await embedDocuments(provider, documents, {
      onEmbedded,
      onRefused: ({ ord, id, crc, bytes }, error) => {
        this.#options.log.warn({ err: error, document: id }, 'a document cannot be embedded');
        return store.note([{ ord, crc, bytes, state: 'failed', reason: reasonOf(error) }]);
      },
      onFailed: (failed, error) => this.#putOff(failed, failures, error),
    }, signal, alone);
  }

  /** Moves documents behind those that were not tried yet. */
  async #putOff(documents: readonly Pick<LoadedDocument, 'ord' | 'crc' | 'bytes'>[],
    failures: ReadonlyMap<number, number>, error: Error): Promise<void>
  {
    const { clock, store } = this.#options;
    await store.note(documents.map(({ ord, crc, bytes }) => {
      const attempts = (failures.get(ord) ?? 0) + 1;
      return {
        ord,
        crc,
        bytes,
        state: 'queued',
        attempts,
        dueAt: clock.now() + backoffDelay(attempts, DOCUMENT_BACKOFF),
        reason: reasonOf(error),
      };
    }));
  }

  async #pause(error: unknown, signal: AbortSignal): Promise<void> {
    this.#failures++;
    this.#lastError = reasonOf(error);
    const retryAfter = error instanceof EmbeddingError ? (error.retryAfterMs ?? 0) : 0;
    const waitMs = Math.max(retryAfter, backoffDelay(this.#failures, PROVIDER_BACKOFF));
    this.#options.log.warn({ err: error, failures: this.#failures, waitMs }, 'embedding failed; trying again later');
    this.#pausing++;
    this.#notifyRested();
    await this.#options.timer.sleep(waitMs, AbortSignal.any([signal, this.#resume.signal]));
    this.#pausing--;
  }

  async #sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    const sleeper = new AbortController();
    this.#sleepers.add(sleeper);
    this.#notifyRested();
    await this.#options.timer.sleep(milliseconds, AbortSignal.any([signal, sleeper.signal]));
    this.#sleepers.delete(sleeper);
  }

  #notifyRested(): void {
    this.#rested.resolve();
    this.#rested = Promise.withResolvers();
  }
}

/** The text of an error to show and store, cut to a maximum length; most are short already. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.length > MAX_REASON ? `${text.slice(0, MAX_REASON)}…` : text;
}
