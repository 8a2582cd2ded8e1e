import { Worker } from 'node:worker_threads';
import { ConversionError, type Conversion, type ConverterSettings } from './contract.ts';
import type { ConvertAnswer, ConvertRequest } from './protocol.ts';

/** Recursive readers of honest documents need a tenth of it. */
const STACK_MB = 8;
/**
 * How far the heap's own limit is above ours. A thread that reaches its own limit can take the process
 * with it ("Reached heap limit", where no JavaScript runs that could be ended), so it must not get there:
 * it is measured and ended before. A thread allocates up to 1 GB a second.
 */
const HEADROOM_MB = 1024;
const WATCH_MS = 40;

interface Running {
  readonly resolve: (conversion: Conversion) => void;
  readonly reject: (error: ConversionError) => void;
  readonly timer: NodeJS.Timeout;
  readonly watch: NodeJS.Timeout;
}

/**
 * One worker thread and the file that it converts. A thread that takes too long, or too much memory,
 * is ended, and only that file fails; `lost` is called once, when the thread is gone.
 */
export class ConversionWorker {
  readonly #worker: Worker;
  readonly #settings: ConverterSettings;
  readonly #lost: () => void;
  #running: Running | undefined;
  #gone = false;

  constructor(module: URL, settings: ConverterSettings, lost: () => void) {
    this.#settings = settings;
    this.#lost = lost;
    this.#worker = new Worker(module, { resourceLimits: { maxOldGenerationSizeMb: settings.memoryMb + HEADROOM_MB, stackSizeMb: STACK_MB }, stdout: true, stderr: true });
    this.#worker.on('message', (answer: ConvertAnswer) => this.#settle(({ resolve, reject }) => ('conversion' in answer ? resolve(answer.conversion) : reject(new ConversionError(answer.fault, answer.message)))));
    this.#worker.on('error', (error: NodeJS.ErrnoException) => this.#end(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? this.#outOfMemory() : new ConversionError('crashed', 'ended the worker that converted it')));
    this.#worker.on('exit', () => this.#end(new ConversionError('crashed', 'ended the worker that converted it')));
    // Libraries print what they notice; nobody reads it, and it must not pile up.
    this.#worker.stdout.resume();
    this.#worker.stderr.resume();
    this.#worker.unref();
  }

  run(request: ConvertRequest): Promise<Conversion> {
    return new Promise((resolve, reject) => {
      const { timeoutMs } = this.#settings;
      const timer = setTimeout(() => this.#end(new ConversionError('timeout', `was not converted within ${timeoutMs.toLocaleString('en-US')} ms`)), timeoutMs);
      const watch = setInterval(() => void this.#measure(), WATCH_MS).unref();
      this.#running = { resolve, reject, timer, watch };
      this.#worker.ref();
      this.#worker.postMessage(request, [request.bytes.buffer as ArrayBuffer]);
    });
  }

  /** Ends the thread; what it converts fails as `aborted`. */
  async stop(): Promise<void> {
    this.#end(new ConversionError('aborted', 'was not converted: the service ends or the request was given up'));
    await this.#worker.terminate();
  }

  /** The heap with what is not collected yet, and buffers, in which archives and streams of PDF unpack and which V8 does not limit. */
  async #measure(): Promise<void> {
    const statistics = await this.#worker.getHeapStatistics().catch(() => undefined);
    if (statistics === undefined || this.#running === undefined) return;
    if (statistics.used_heap_size + statistics.external_memory > this.#settings.memoryMb * 2 ** 20) this.#end(this.#outOfMemory());
  }

  #outOfMemory(): ConversionError {
    return new ConversionError('out_of_memory', `needs more than ${this.#settings.memoryMb} MiB of memory to be converted`);
  }

  #end(reason: ConversionError): void {
    if (this.#gone) return;
    this.#gone = true;
    void this.#worker.terminate();
    this.#settle(({ reject }) => reject(reason));
    this.#lost();
  }

  #settle(tell: (running: Running) => void): void {
    const running = this.#running;
    if (running === undefined) return;
    this.#running = undefined;
    clearTimeout(running.timer);
    clearInterval(running.watch);
    this.#worker.unref();
    tell(running);
  }
}
