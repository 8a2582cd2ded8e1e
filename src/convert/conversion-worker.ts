import { Worker } from 'node:worker_threads';
import { type Conversion, ConversionError, type ConverterSettings } from './contract.ts';
import type { ConvertAnswer, ConvertRequest } from './protocol.ts';

/** Recursive readers need a tenth of it for real documents. */
const STACK_MB = 8;
/**
 * How far V8's own heap limit is above ours. A thread that reaches V8's limit can end the whole process ("Reached heap
 * limit", at which point no JavaScript runs that could stop it). To prevent this, its heap is measured and the thread
 * ended earlier. A thread allocates up to 1 GB per second.
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
 * One worker thread and the file that it converts. A thread that exceeds its time or memory limit is ended, and only
 * that file fails. `lost` is called once, when the thread has ended.
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
    this.#worker = new Worker(module, {
      resourceLimits: { maxOldGenerationSizeMb: settings.memoryMb + HEADROOM_MB, stackSizeMb: STACK_MB },
      stdout: true,
      stderr: true,
    });
    this.#worker.on('message',
      (answer: ConvertAnswer) =>
        this.#settle((
          { resolve, reject },
        ) => ('conversion' in answer
          ? resolve(answer.conversion)
          : reject(new ConversionError(answer.fault, answer.message)))
        ));
    this.#worker.on('error',
      (error: NodeJS.ErrnoException) =>
        this.#end(
          error.code === 'ERR_WORKER_OUT_OF_MEMORY'
            ? this.#outOfMemory()
            : new ConversionError('crashed', 'ended the worker that converted it'),
        ));
    this.#worker.on('exit', () => this.#end(new ConversionError('crashed', 'ended the worker that converted it')));
    // Libraries print diagnostics; they are drained, because unread output would accumulate.
    this.#worker.stdout.resume();
    this.#worker.stderr.resume();
    this.#worker.unref();
  }

  run(request: ConvertRequest): Promise<Conversion> {
    return new Promise((resolve, reject) => {
      const { timeoutMs } = this.#settings;
      const timer = setTimeout(
        () =>
          this.#end(new ConversionError('timeout', `was not converted within ${timeoutMs.toLocaleString('en-US')} ms`)),
        timeoutMs,
      );
      const watch = setInterval(() => void this.#measure(), WATCH_MS).unref();
      this.#running = { resolve, reject, timer, watch };
      this.#worker.ref();
      this.#worker.postMessage(request, [request.bytes.buffer as ArrayBuffer]);
    });
  }

  /** Ends the thread; its conversion fails as `aborted`. */
  async stop(): Promise<void> {
    this.#end(new ConversionError('aborted', 'was not converted: the service ends or the request was given up'));
    await this.#worker.terminate();
  }

  /**
   * Whether so much memory is in use, mostly garbage of the last file, that the next file could reach the limit by it.
   */
  async isFull(): Promise<boolean> {
    return (await this.#used()) > (this.#settings.memoryMb * 2 ** 20) / 2;
  }

  async #measure(): Promise<void> {
    const used = await this.#used();
    if (this.#running !== undefined && used > this.#settings.memoryMb * 2 ** 20) this.#end(this.#outOfMemory());
  }

  /**
   * The heap including garbage that is not yet collected, and buffers. Archives and streams of PDF unpack into buffers,
   * which V8 does not limit. 0 for a thread that has ended.
   */
  async #used(): Promise<number> {
    const statistics = await this.#worker.getHeapStatistics().catch(() => undefined);
    return statistics === undefined ? 0 : statistics.used_heap_size + statistics.external_memory;
  }

  #outOfMemory(): ConversionError {
    return new ConversionError('out_of_memory',
      `needs more than ${this.#settings.memoryMb} MiB of memory to be converted`);
  }

  #end(reason: ConversionError): void {
    if (this.#gone) return;
    this.#gone = true;
    void this.#worker.terminate();
    this.#settle(({ reject }) => reject(reason));
    this.#lost();
  }

  #settle(finish: (running: Running) => void): void {
    const running = this.#running;
    if (running === undefined) return;
    this.#running = undefined;
    clearTimeout(running.timer);
    clearInterval(running.watch);
    this.#worker.unref();
    finish(running);
  }
}
