import { availableParallelism } from 'node:os';
import { type KernelBuild, loadKernel } from '../../../kernels/load.ts';
import { ThreadClient, workerFile } from '../../../lib/thread-client.ts';

/** Messages from the pool to a worker. */
export type ToWorker =
  /** Registers a memory, or a compiled kernel, under a number; each is sent to a worker once. */
  | { readonly kind: 'memory'; readonly memory: number; readonly value: WebAssembly.Memory }
  | { readonly kind: 'module'; readonly module: number; readonly value: WebAssembly.Module }
  /** Drops a memory and the instances over it. */
  | { readonly kind: 'forget'; readonly memory: number }
  | { readonly kind: 'call'; readonly memory: number; readonly module: number; readonly call: string;
    readonly args: readonly number[] };

/** Result of each call, in order. */
export type FromWorker = { readonly result: number } | { readonly error: string };

/** A call of an exported function of a kernel over a shared memory. */
interface KernelCall {
  readonly memory: WebAssembly.Memory;
  /** Name of the kernel: `asm/NAME.ts`. */
  readonly module: string;
  readonly build: KernelBuild;
  /** The function; it takes numbers and returns a number or nothing. */
  readonly call: string;
  readonly args: readonly number[];
  /**
   * Building rather than searching: waits while a search waits, and never takes the last free worker if there are
   * several. Each call should take at most some tens of milliseconds, because a search may wait for it.
   */
  readonly background?: boolean;
}

interface Task {
  readonly call: KernelCall;
  readonly resolve: (result: number) => void;
  readonly reject: (error: unknown) => void;
}

/** A worker, the memories and modules that it has received, and its current task. */
interface PooledWorker {
  readonly worker: ThreadClient<ToWorker, FromWorker>;
  readonly memories: Set<number>;
  readonly modules: Set<number>;
  task: Task | undefined;
}

/** A worker ended, or a kernel trapped, before a call was completed. */
export class WorkerFailure extends Error {}

/** Maximum number of workers, even with more processors. */
const MAX_WORKERS = 16;

/**
 * Worker threads that run kernels over shared memories, for all collections. They are started on demand, keep the
 * process alive only while they work, and are replaced when they end.
 */
export class WorkerPool {
  /** Maximum number of workers. */
  readonly size: number;
  readonly #workers: PooledWorker[] = [];
  readonly #waiting: Task[] = [];
  readonly #waitingInBackground: Task[] = [];
  readonly #memories = new WeakMap<WebAssembly.Memory, number>();
  readonly #modules = new Map<WebAssembly.Module, number>();
  #lastMemory = 0;
  #closed = false;

  constructor(size = Math.min(availableParallelism(), MAX_WORKERS)) {
    if (!Number.isInteger(size) || size < 1) throw new RangeError(`a pool has at least one worker, got ${size}`);
    this.size = size;
  }

  /**
   * Resolves with the function's result (0 for nothing); rejects with a WorkerFailure when it throws or its worker
   * ends.
   */
  run(call: KernelCall): Promise<number> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw new WorkerFailure('the workers were closed');
      (call.background === true ? this.#waitingInBackground : this.#waiting).push({ call, resolve, reject });
      this.#dispatch();
    });
  }

  /**
   * As `run`, for work that this thread also does itself if need be: undefined if no worker is free. A first worker is
   * started for later calls.
   */
  tryRun(call: KernelCall): Promise<number> | undefined {
    if (this.#closed) return undefined;
    const isFree = this.#workers.some(({ task }) => task === undefined);
    if (!isFree && this.#workers.length === 0) this.#start();
    return isFree ? this.run(call) : undefined;
  }

  /** Makes workers release a memory, after their pending calls over it. */
  forget(memory: WebAssembly.Memory): void {
    const number = this.#memories.get(memory);
    if (number === undefined) return;
    this.#memories.delete(memory);
    for (const pooled of this.#workers) {
      if (pooled.memories.delete(number)) pooled.worker.tell({ kind: 'forget', memory: number });
    }
  }

  /** Ends the workers at once, as a crash would; for tests. */
  async crash(): Promise<void> {
    await Promise.all([...this.#workers].map(({ worker }) => worker.end()));
  }

  /** Ends the workers; pending calls are rejected. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const task of [...this.#waiting.splice(0), ...this.#waitingInBackground.splice(0)])
      task.reject(new WorkerFailure('the workers were closed'));
    await Promise.all([...this.#workers].map(({ worker }) => worker.end()));
  }

  /** Assigns tasks to free workers, and starts workers for the remaining tasks. */
  #dispatch(): void {
    for (let task = this.#peek(); task !== undefined; task = this.#peek()) {
      let pooled = this.#workers.find((each) => each.task === undefined);
      if (pooled === undefined && this.#workers.length < this.size) pooled = this.#start();
      if (pooled === undefined) return;
      (task.call.background === true ? this.#waitingInBackground : this.#waiting).shift();
      this.#give(pooled, task);
    }
  }

  #peek(): Task | undefined {
    const [task] = this.#waiting;
    if (task !== undefined) return task;
    const building = this.#workers.filter((pooled) => pooled.task?.call.background === true).length;
    return building < Math.max(1, this.size - 1) ? this.#waitingInBackground[0] : undefined;
  }

  #give(pooled: PooledWorker, task: Task): void {
    const { call } = task;
    try {
      const memory = this.#numberOf(call.memory);
      const module = loadKernel(call.module, call.build);
      let number = this.#modules.get(module);
      if (number === undefined) this.#modules.set(module, number = this.#modules.size);
      this.#introduce(pooled, memory, call.memory, number, module);
      pooled.task = task;
      const request = pooled.worker.request({ kind: 'call', memory, module: number, call: call.call, args: call.args });
      request.then((answer) => this.#settle(pooled, answer), task.reject);
    } catch (error) {
      task.reject(error);
    }
  }

  /** Sends a worker the memories and modules that it does not have yet. */
  #introduce(pooled: PooledWorker, memory: number, value: WebAssembly.Memory, number: number,
    module: WebAssembly.Module): void
  {
    if (!pooled.memories.has(memory)) pooled.worker.tell({ kind: 'memory', memory, value });
    pooled.memories.add(memory);
    if (!pooled.modules.has(number)) pooled.worker.tell({ kind: 'module', module: number, value: module });
    pooled.modules.add(number);
  }

  #numberOf(memory: WebAssembly.Memory): number {
    let number = this.#memories.get(memory);
    if (number === undefined) this.#memories.set(memory, number = ++this.#lastMemory);
    return number;
  }

  #start(): PooledWorker {
    const worker: PooledWorker['worker'] = new ThreadClient(workerFile(import.meta.url, 'kernel-worker'), {
      name: 'a worker',
      restarts: false,
      onEnd: () => this.#lost(pooled),
      failure: (message, cause) => new WorkerFailure(message, { cause }),
    });
    const pooled: PooledWorker = { worker, memories: new Set(), modules: new Set(), task: undefined };
    worker.start();
    this.#workers.push(pooled);
    return pooled;
  }

  #settle(pooled: PooledWorker, answer: FromWorker): void {
    const task = pooled.task;
    pooled.task = undefined;
    if ('result' in answer) task?.resolve(answer.result);
    else task?.reject(new WorkerFailure(`${task.call.module}.${task.call.call} failed: ${answer.error}`));
    this.#dispatch();
  }

  #lost(pooled: PooledWorker): void {
    this.#workers.splice(this.#workers.indexOf(pooled), 1);
    pooled.task = undefined;
    if (!this.#closed) this.#dispatch();
  }
}
