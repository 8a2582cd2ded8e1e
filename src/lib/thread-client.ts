import { type ResourceLimits, type Transferable, Worker } from 'node:worker_threads';

export interface ThreadOptions {
  /** Names the thread in errors: `the encoding thread`. */
  readonly name: string;
  /** Returns the `workerData` of a thread that starts. */
  readonly data?: () => unknown;
  readonly resourceLimits?: ResourceLimits;
  /**
   * Maximum milliseconds for a request; then the thread is ended, and only that request fails. Requests are sent one at
   * a time.
   */
  readonly limitMs?: number;
  /** Milliseconds without a request after which the thread ends, to free its memory; by default it stays. */
  readonly idleMs?: number;
  /**
   * False for a thread whose state is lost with it: after its end, all requests fail. By default another thread starts.
   */
  readonly restarts?: boolean;
  /** False if the process may end while a request is running. */
  readonly keepsAlive?: boolean;
  /** Discards what the thread prints. */
  readonly silent?: boolean;
  /** Called when a thread has ended or was given up. */
  readonly onEnd?: () => void;
  /** Makes the error of requests whose thread ended or was too slow; by default an `Error`. */
  readonly failure?: (message: string, cause: unknown) => Error;
}

/**
 * The usual `idleMs` of a thread for bursts of work: after a burst, its memory is given back; another one starts within
 * some 50 ms.
 */
export const BURST_IDLE_MS = 5000;

interface Pending<Request, Reply> {
  readonly request: Request;
  readonly transfer: readonly Transferable[];
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * The main thread's side of a thread that replies to each request, in their order. The thread starts with the first
 * request and again after it ended, and keeps the process alive only while a request is running. Await the replies for
 * back-pressure.
 */
export class ThreadClient<Request, Reply> {
  readonly #file: URL;
  readonly #options: ThreadOptions;
  readonly #waiting: Pending<Request, Reply>[] = [];
  #sent: Pending<Request, Reply>[] = [];
  #worker: Worker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #last: Promise<unknown> | undefined;
  #over: Error | undefined;

  constructor(file: URL, options: ThreadOptions) {
    this.#file = file;
    this.#options = options;
  }

  /** Whether a request would be handled at once. */
  get isIdle(): boolean {
    return this.#sent.length === 0;
  }

  /** Rejects if the thread ends before it replies, or if the request cannot be sent. */
  request(request: Request, transfer: readonly Transferable[] = []): Promise<Reply> {
    const reply = new Promise<Reply>((resolve, reject) => {
      if (this.#over !== undefined) throw this.#over;
      this.#waiting.push({ request, transfer, resolve, reject });
      this.#send();
    });
    this.#last = reply;
    return reply;
  }

  /** Sends a message that has no reply to the thread that runs; without one it is not needed. */
  tell(message: Request, transfer: readonly Transferable[] = []): void {
    this.#worker?.postMessage(message, transfer);
  }

  /** Starts the thread before it is needed. */
  start(): void {
    this.#worker ??= this.#start();
    if (this.isIdle) this.#worker.unref();
  }

  /** Resolves when all requests so far are settled. */
  async drained(): Promise<void> {
    await this.#last?.catch(() => undefined);
  }

  /** Ends the thread at once, as a crash would. Safe before the start, and twice. */
  async end(reason = this.#failure('has ended', undefined)): Promise<void> {
    const worker = this.#worker;
    if (this.#options.restarts === false) this.#over ??= reason;
    if (worker !== undefined) this.#lose(worker, reason);
    await worker?.terminate();
  }

  /** Bytes of the thread's heap, with garbage that is not yet collected, and of its buffers; 0 without a thread. */
  async usedBytes(): Promise<number> {
    const statistics = await this.#worker?.getHeapStatistics().catch(() => undefined);
    return statistics === undefined ? 0 : statistics.used_heap_size + statistics.external_memory;
  }

  #send(): void {
    const { limitMs } = this.#options;
    while (this.#waiting.length > 0 && (limitMs === undefined || this.isIdle)) {
      const next = this.#waiting.shift()!;
      try {
        (this.#worker ??= this.#start()).postMessage(next.request, next.transfer);
        this.#sent.push(next);
      } catch (error) {
        next.reject(error);
        continue;
      }
      clearTimeout(this.#timer);
      if (this.#options.keepsAlive !== false) this.#worker.ref();
      if (limitMs !== undefined) this.#timer = setTimeout(this.#late, limitMs, this.#worker);
    }
  }

  #start(): Worker {
    const { data, resourceLimits, keepsAlive, silent = false } = this.#options;
    const worker = new Worker(this.#file, {
      workerData: data?.(),
      stdout: silent,
      stderr: silent,
      resourceLimits,
    });
    let cause: unknown;
    worker.on('message', (reply: Reply) => this.#settle(worker, reply));
    worker.on('error', (error) => (cause = error)); // `exit` follows
    worker.on('exit', () => this.#lose(worker, this.#failure('has ended', cause)));
    if (keepsAlive === false) worker.unref();
    // Unread output would accumulate.
    if (silent) { for (const output of [worker.stdout, worker.stderr]) output.resume(); }
    return worker;
  }

  /** Messages of a thread that was given up are ignored. */
  #settle(worker: Worker, reply: Reply): void {
    if (worker !== this.#worker) return;
    this.#sent.shift()?.resolve(reply);
    if (!this.isIdle) return;
    clearTimeout(this.#timer);
    worker.unref();
    const { idleMs } = this.#options;
    if (idleMs !== undefined) this.#timer = setTimeout(() => void this.end(), idleMs).unref();
    this.#send();
  }

  readonly #late = (worker: Worker): void =>
    this.#lose(worker, this.#failure(`did not reply within ${this.#options.limitMs} ms`, undefined));

  /** Fails what the thread has; what waits goes to the next one. */
  #lose(worker: Worker, reason: Error): void {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    clearTimeout(this.#timer);
    void worker.terminate();
    const lost = this.#sent;
    this.#sent = [];
    if (this.#options.restarts === false) {
      this.#over ??= reason;
      lost.push(...this.#waiting.splice(0));
    }
    for (const { reject } of lost) reject(reason);
    this.#options.onEnd?.();
    this.#send();
  }

  #failure(what: string, cause: unknown): Error {
    const message = `${this.#options.name} ${what}`;
    return this.#options.failure?.(message, cause) ?? new Error(message, { cause });
  }
}

/** Starts a thread for one request, and ends it. */
export async function askThread<Request, Reply>(file: URL, request: Request, options: ThreadOptions): Promise<Reply> {
  const client = new ThreadClient<Request, Reply>(file, { ...options, restarts: false });
  try {
    return await client.request(request);
  } finally {
    await client.end();
  }
}

/**
 * The URL of a worker's module beside the caller. Its extension is the caller's own, so that the
 * same line works from source (`.ts`) and from the built package (`.js`).
 * `caller` is the caller's `import.meta.url`, `name` the file's name without its extension.
 */
export function workerFile(caller: string, name: string): URL {
  const ending = caller.endsWith('.ts') ? '.ts' : '.js';
  return new URL(`./${name}${ending}`, caller);
}
