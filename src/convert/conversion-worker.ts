import { ThreadClient } from '../lib/thread-client.ts';
import { type Conversion, ConversionError, type ConversionFault, type ConverterSettings,
  type ReadOptions } from './contract.ts';

/** A worker's conversion job; the bytes are transferred. */
export interface ConvertRequest extends ReadOptions {
  readonly bytes: Uint8Array;
  readonly name: string;
  readonly textOnly: boolean | undefined;
}

export type ConvertAnswer = { readonly conversion: Conversion } | { readonly fault: ConversionFault;
  readonly message: string };

/** Recursive readers need a tenth of it for real documents. */
const STACK_MB = 8;
/**
 * How far V8's own heap limit is above ours. A thread that reaches V8's limit can end the whole process ("Reached heap
 * limit", at which point no JavaScript runs that could stop it). To prevent this, its heap is measured and the thread
 * ended earlier. A thread allocates up to 1 GB per second.
 */
const HEADROOM_MB = 1024;
const WATCH_MS = 40;

/**
 * One worker thread and the file that it converts. A thread that exceeds its time or memory limit is ended, and only
 * that file fails. `lost` is called once, when the thread has ended.
 */
export class ConversionWorker {
  readonly #thread: ThreadClient<ConvertRequest, ConvertAnswer>;
  readonly #settings: ConverterSettings;

  constructor(module: URL, settings: ConverterSettings, lost: () => void) {
    this.#settings = settings;
    // Libraries print diagnostics.
    this.#thread = new ThreadClient(module, {
      name: 'the worker that converts',
      restarts: false,
      silent: true,
      onEnd: lost,
      resourceLimits: { maxOldGenerationSizeMb: settings.memoryMb + HEADROOM_MB, stackSizeMb: STACK_MB },
      failure: (_,
        cause) => ((cause as NodeJS.ErrnoException | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? this.#outOfMemory()
          : new ConversionError('crashed', 'ended the worker that converted it')),
    });
  }

  async run(request: ConvertRequest): Promise<Conversion> {
    const { timeoutMs } = this.#settings;
    const late = (): ConversionError =>
      new ConversionError('timeout', `was not converted within ${timeoutMs.toLocaleString('en-US')} ms`);
    const timer = setTimeout(() => void this.#thread.end(late()), timeoutMs);
    const watch = setInterval(() => void this.#measure(), WATCH_MS).unref();
    try {
      const answer = await this.#thread.request(request, [request.bytes.buffer as ArrayBuffer]);
      if ('conversion' in answer) return answer.conversion;
      throw new ConversionError(answer.fault, answer.message);
    } finally {
      clearTimeout(timer);
      clearInterval(watch);
    }
  }

  /** Ends the thread; its conversion fails as `aborted`. */
  stop(): Promise<void> {
    return this.#thread.end(
      new ConversionError('aborted', 'was not converted: the service ends or the request was given up'),
    );
  }

  /**
   * Whether so much memory is in use, mostly garbage of the last file, that the next file could reach the limit by it.
   */
  async isFull(): Promise<boolean> {
    return (await this.#thread.usedBytes()) > (this.#settings.memoryMb * 2 ** 20) / 2;
  }

  /** Archives and streams of PDF unpack into buffers, which V8 does not limit. */
  async #measure(): Promise<void> {
    const used = await this.#thread.usedBytes();
    if (!this.#thread.isIdle && used > this.#settings.memoryMb * 2 ** 20) await this.#thread.end(this.#outOfMemory());
  }

  #outOfMemory(): ConversionError {
    return new ConversionError('out_of_memory',
      `needs more than ${this.#settings.memoryMb} MiB of memory to be converted`);
  }
}
