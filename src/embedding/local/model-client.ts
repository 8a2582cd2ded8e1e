import { Worker } from 'node:worker_threads';
import type { Timer } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { cancelled, closed, EmbeddingError, type EmbeddingRole } from '../provider.ts';
import type { ModelProfile } from './model-profile.ts';

/** Options with which the thread is started. */
export interface ThreadData {
  /** The package that runs models, as an import specifier. */
  readonly library: string;
  /** A hub id or the absolute path of a folder. */
  readonly model: string;
  /** The model as it was named, which may tell its family. */
  readonly name: string;
  /** Where the files of the model are, or will be. */
  readonly folder: string;
  readonly isFolder: boolean;
  readonly dtype: string;
  readonly maxTokens: number;
  readonly offline: boolean;
  readonly cacheFolder: string;
  /** Where models are downloaded from, if not from the hub itself. */
  readonly hubUrl: string | undefined;
}

/** `close`: release everything and end; there is no reply except the end of the thread. */
export type ThreadRequest = {
  readonly op: 'embed';
  readonly texts: readonly string[];
  readonly role: EmbeddingRole;
} | { readonly op: 'close' };

/** Which step failed: importing the library, loading the model, checking how it makes vectors, or running it. */
export type FailedStep = 'import' | 'load' | 'check' | 'run';

/**
 * Every `embed` receives exactly one `vectors` or `failed`; only one `embed` is in progress at a time. After a failure
 * to import, load or check, the thread ends. Downloads are reported in between, and the profile of the model before the
 * first vectors.
 */
export type ThreadReply = { readonly op: 'vectors'; readonly values: Float32Array; readonly size: number } | {
  readonly op: 'failed';
  readonly step: FailedStep;
  readonly message: string;
  readonly missing: boolean;
} | { readonly op: 'loaded'; readonly profile: ModelProfile } | { readonly op: 'download'; readonly file: string;
  readonly bytes: number; readonly of: number | undefined };

interface ModelClientOptions {
  readonly thread: URL;
  readonly data: ThreadData;
  readonly timer: Timer;
  readonly log: Log;
  /** Called before the first vectors are returned, with what the files of the model say. */
  readonly onLoaded?: (profile: ModelProfile) => void;
}

// Not a `ThreadClient`: a native runtime must end by itself, and its thread reports downloads between a request and the
// reply, and tells when it cannot load the model, after which all callers fail.

/** The texts of one call and the vectors computed so far. */
interface Job {
  readonly texts: readonly string[];
  readonly role: EmbeddingRole;
  readonly vectors: Float32Array[];
  readonly portions: number[][];
  readonly resolve: (vectors: Float32Array[]) => void;
  readonly reject: (error: EmbeddingError) => void;
}

// After this many consecutive batches of queries, a batch of documents is processed.
const QUERIES_IN_A_ROW = 8;
const CLOSE_MS = 15_000;

/**
 * The main thread's side of `thread.ts`. One batch of texts is in progress at a time; queries come before documents.
 * The thread starts with the first texts, and again after it ended, and keeps the process alive only while it works. It
 * is never terminated, because terminating it within a call of the native runtime would end the process.
 */
export class ModelClient {
  readonly #options: ModelClientOptions;
  readonly #jobs = new Set<Job>();
  #worker: Worker | undefined;
  #running: { readonly job: Job; readonly portion: readonly number[] } | undefined;
  #queriesInARow = 0;
  #closed: Promise<void> | undefined;

  constructor(options: ModelClientOptions) {
    this.#options = options;
  }

  /** Returns one vector for each text, unchecked. */
  embed(texts: readonly string[], role: EmbeddingRole, signal?: AbortSignal): Promise<Float32Array[]> {
    return new Promise<Float32Array[]>((resolve, reject) => {
      if (this.#closed !== undefined) throw closed();
      if (signal?.aborted) throw cancelled(signal);
      if (texts.length === 0) return resolve([]);
      const abort = () => this.#fail(job, cancelled(signal!));
      const done = () => signal?.removeEventListener('abort', abort);
      const job: Job = {
        texts,
        role,
        vectors: [],
        portions: slices(texts),
        resolve: (vectors) => (done(), resolve(vectors)),
        reject: (error) => (done(), reject(error)),
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#jobs.add(job);
      this.#pump();
    });
  }

  /** Rejects calls in progress and waits, for a limited time, until the thread has released its memory. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    for (const job of this.#jobs) this.#fail(job, closed());
    const worker = this.#worker;
    if (worker === undefined) return;
    const ended = new AbortController();
    worker.once('exit', () => ended.abort());
    worker.postMessage({ op: 'close' } satisfies ThreadRequest);
    await this.#options.timer.sleep(CLOSE_MS, ended.signal);
    worker.unref();
    if (!ended.signal.aborted)
      this.#options.log.warn({ model: this.#options.data.model }, 'the embedding model did not end in time');
  }

  #pump(): void {
    if (this.#running !== undefined || this.#closed !== undefined) return;
    const job = this.#next();
    if (job === undefined) return void this.#worker?.unref();
    const portion = job.portions.shift()!;
    this.#running = { job, portion };
    this.#worker ??= this.#start();
    this.#worker.ref();
    const texts = portion.map((index) => job.texts[index]!);
    this.#worker.postMessage({ op: 'embed', texts, role: job.role } satisfies ThreadRequest);
  }

  #next(): Job | undefined {
    const jobs = [...this.#jobs];
    const preferred = this.#queriesInARow < QUERIES_IN_A_ROW ? 'query' : 'document';
    const job = jobs.find(({ role }) => role === preferred) ?? jobs[0];
    this.#queriesInARow = job?.role === 'query' ? this.#queriesInARow + 1 : 0;
    return job;
  }

  #start(): Worker {
    const { thread, data } = this.#options;
    const worker = new Worker(thread, { workerData: data });
    let cause: unknown;
    worker.on('message', (reply: ThreadReply) => this.#take(worker, reply));
    worker.on('error', (error) => (cause = error));
    worker.on('exit', () => this.#lost(worker, cause));
    return worker;
  }

  #take(worker: Worker, reply: ThreadReply): void {
    if (reply.op === 'download') {
      const { op: _op, ...download } = reply;
      return this.#options.log.info({ model: this.#options.data.model, ...download },
        'downloading the embedding model');
    }
    if (reply.op === 'loaded') return this.#options.onLoaded?.(reply.profile);
    const running = this.#running;
    this.#running = undefined;
    if (reply.op === 'failed') {
      const error = explain(reply, this.#options.data);
      if (running !== undefined) this.#fail(running.job, error);
      if (reply.step !== 'run') this.#giveUp(worker, error);
    } else if (running !== undefined) this.#store(running.job, running.portion, reply);
    this.#pump();
  }

  /**
   * The thread is ending because it could not load the model. All waiting callers are rejected, because the next thread
   * would fail in the same way.
   */
  #giveUp(worker: Worker, error: EmbeddingError): void {
    if (this.#worker === worker) this.#worker = undefined;
    for (const job of this.#jobs) this.#fail(job, error);
  }

  #store(job: Job, portion: readonly number[], { values, size }: ThreadReply & { op: 'vectors' }): void {
    portion.forEach((index, row) => (job.vectors[index] = values.slice(row * size, (row + 1) * size)));
    if (job.portions.length > 0) return;
    this.#jobs.delete(job);
    job.resolve(job.vectors);
  }

  #lost(worker: Worker, cause: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const running = this.#running;
    this.#running = undefined;
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    if (running !== undefined)
      this.#fail(running.job,
        new EmbeddingError(`the thread of the embedding model ended unexpectedly${why}`, { retryable: true }));
    this.#pump();
  }

  /** Ignores a job that is already finished. If one of its batches is in progress, the thread still replies to it. */
  #fail(job: Job, error: EmbeddingError): void {
    if (this.#jobs.delete(job)) job.reject(error);
  }
}

function explain({ step, message, missing }: ThreadReply & { op: 'failed' },
  { library, model, isFolder, offline, cacheFolder }: ThreadData): EmbeddingError
{
  const fail = (text: string, retryable: boolean) => new EmbeddingError(text, { retryable });
  if (step === 'import')
    return fail(missing ? missingLibrary(library) : `${library} can't be loaded: ${message}`, false);
  if (step === 'check') return fail(unusableModel(model, message), false);
  if (step === 'run') return fail(`the embedding model ${model} failed: ${message}`, false);
  if (isFolder) return fail(`the embedding model in ${model} can't be loaded: ${message}`, false);
  if (!missing) return fail(`the embedding model ${model} can't be loaded or downloaded: ${message}`, true);
  return offline
    ? fail(
      `the embedding model ${model} is not in ${cacheFolder}, and downloads are forbidden (SVC_EMBEDDING_OFFLINE): ` +
        'allow them once, or name the folder of a model',
      false,
    )
    : fail(`the embedding model ${model} cannot be downloaded from the hub: ${message}`, false);
}

/** Advice for a model whose vectors would be wrong. */
export function unusableModel(model: string, problem: string): string {
  return `the embedding model ${model} can't be run in this process: ${problem}; choose another model, or set ` +
    'SVC_EMBEDDING_API_URL to use a server that runs it';
}

/** Advice for a library that is not installed. */
export function missingLibrary(library: string): string {
  return `the embedding provider local runs models by the optional package ${library}, which is not installed: npm install ` +
    `${library}, or set SVC_EMBEDDING_API_URL to use a server`;
}

const MAX_TEXTS = 16;
const MAX_CHARACTERS = 16_000;

/**
 * Divides the indexes of texts into batches that a model processes at once. All texts of a batch are padded to its
 * longest, so texts of similar length are batched together, and long ones alone. A batch is short enough that other
 * callers do not wait long.
 */
export function slices(texts: readonly string[]): number[][] {
  const byLength = texts.map((_, index) => index).sort((a, b) => texts[a]!.length - texts[b]!.length);
  const portions: number[][] = [];
  let current: number[] = [];
  for (const index of byLength) {
    if (current.length === MAX_TEXTS ||
      (current.length > 0 && (current.length + 1) * texts[index]!.length > MAX_CHARACTERS))
    {
      portions.push(current);
      current = [];
    }
    current.push(index);
  }
  return current.length > 0 ? [...portions, current] : portions;
}
