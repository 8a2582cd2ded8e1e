import { workerFile } from '../lib/thread-client.ts';
import { currentTracing } from '../lib/tracing.ts';
import { type Conversion, ConversionError, type ConversionOptions, type Converter, type ConverterSettings,
  type FileToConvert } from './contract.ts';
import { ConversionWorker, type ConvertRequest } from './conversion-worker.ts';

/** A worker that is idle for this long is ended, because it occupies some 60 MB. */
const IDLE_MS = 30_000;

interface Job {
  readonly request: () => ConvertRequest;
  readonly resolve: (conversion: Conversion) => void;
  readonly reject: (error: unknown) => void;
  readonly signal: AbortSignal | undefined;
}

export interface PoolOptions {
  /** Path of the threads' module; for tests. */
  readonly module?: URL;
  /** Milliseconds after which an idle thread is ended; for tests. */
  readonly idleMs?: number;
}

/**
 * Converts files in worker threads, in the order in which they arrive. Threads start when files arrive and end after
 * half a minute without one. Waiting files keep their bytes in memory; callers limit the number of waiting files.
 */
export function createConverter(settings: ConverterSettings,
  { module = workerFile(import.meta.url, 'worker'), idleMs = IDLE_MS }: PoolOptions = {}): Converter
{
  return new ConverterPool(settings, module, idleMs);
}

class ConverterPool implements Converter {
  readonly #settings: ConverterSettings;
  readonly #module: URL;
  readonly #idleMs: number;
  readonly #waiting: Job[] = [];
  readonly #busy = new Map<ConversionWorker, Job>();
  /** Idle workers, the most recently used last, with the timers that end them. */
  readonly #idle = new Map<ConversionWorker, NodeJS.Timeout>();
  #closed = false;

  constructor(settings: ConverterSettings, module: URL, idleMs: number) {
    this.#settings = settings;
    this.#module = module;
    this.#idleMs = idleMs;
  }

  convert(file: FileToConvert, options: ConversionOptions = {}): Promise<Conversion> {
    const tracing = currentTracing();
    if (tracing === undefined) return this.#convert(file, options);
    return tracing.within({ name: 'convert file', attributes: { 'quire.file.bytes': file.bytes.byteLength } },
      () => this.#convert(file, options));
  }

  #convert({ bytes, name, contentType }: FileToConvert,
    { textOnly, mainContent, baseUrl, signal }: ConversionOptions): Promise<Conversion>
  {
    if (this.#closed || signal?.aborted) return Promise.reject(aborted());
    const request = () => ({
      bytes: transferable(bytes),
      name,
      contentType,
      textOnly,
      mainContent,
      baseUrl,
      maxOutput: this.#settings.maxOutput,
    });
    const { promise, resolve, reject } = Promise.withResolvers<Conversion>();
    const job: Job = { request, resolve, reject, signal };
    const abort = () => this.#abort(job);
    signal?.addEventListener('abort', abort, { once: true });
    this.#waiting.push(job);
    this.#next();
    return promise.finally(() => signal?.removeEventListener('abort', abort));
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const { reject } of this.#waiting.splice(0)) reject(aborted());
    const workers = [...this.#busy.keys(), ...this.#idle.keys()];
    for (const timer of this.#idle.values()) clearTimeout(timer);
    this.#idle.clear();
    await Promise.all(workers.map((worker) => worker.stop()));
  }

  #abort(job: Job): void {
    const at = this.#waiting.indexOf(job);
    if (at >= 0) this.#waiting.splice(at, 1);
    for (const [worker, running] of this.#busy) if (running === job) void worker.stop();
    job.reject(aborted());
  }

  #next(): void {
    while (this.#waiting.length > 0 && !this.#closed) {
      const worker = this.#take();
      if (worker === undefined) return;
      void this.#run(worker, this.#waiting.shift()!);
    }
  }

  #take(): ConversionWorker | undefined {
    const idle = [...this.#idle].at(-1);
    if (idle !== undefined) {
      clearTimeout(idle[1]);
      this.#idle.delete(idle[0]);
      return idle[0];
    }
    if (this.#busy.size >= this.#settings.workers) return undefined;
    const worker: ConversionWorker = new ConversionWorker(this.#module, this.#settings, () => this.#forget(worker));
    return worker;
  }

  async #run(worker: ConversionWorker, job: Job): Promise<void> {
    this.#busy.set(worker, job);
    try {
      job.resolve(await worker.run(job.request()));
    } catch (error) {
      job.reject(error);
    }
    if (await worker.isFull()) await worker.stop();
    // A worker that was lost is no longer in the set of busy ones.
    if (this.#busy.delete(worker) && !this.#closed) {
      this.#idle.set(worker, setTimeout(() => void worker.stop(), this.#idleMs).unref());
    }
    this.#next();
  }

  #forget(worker: ConversionWorker): void {
    this.#busy.delete(worker);
    clearTimeout(this.#idle.get(worker));
    this.#idle.delete(worker);
  }
}

/** Copies bytes to a buffer of their own, because a shared buffer cannot be transferred. */
function transferable(bytes: Uint8Array): Uint8Array {
  const whole = bytes.buffer instanceof ArrayBuffer && bytes.byteLength === bytes.buffer.byteLength;
  return whole ? new Uint8Array(bytes.buffer) : Uint8Array.from(bytes);
}

function aborted(): ConversionError {
  return new ConversionError('aborted', 'was not converted: the service ends or the request was given up');
}
