import { fork, type ChildProcess } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import type { Socket } from 'node:net';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Counted } from '../../docs/index.ts';
import { workerFile } from '../../lib/worker-file.ts';
import type { Taker } from './acceptor.ts';
import type { ToPrimary, ToWorker } from './messages.ts';

/** A worker that has not taken a connection for so long is frozen: it is killed, and the connection goes to another. */
const FROZEN_MS = 10_000;

/** From so long on, connections go to others first. */
const SLOW_MS = 500;

export interface WorkerEvents {
  /** Anything but what the handle itself deals with. */
  onMessage(message: ToPrimary): void;
  /** `untaken` are connections that it was to take; nothing has been read of them. */
  onExit(reason: string, untaken: readonly Socket[]): void;
}

interface Untaken {
  readonly socket: Socket;
  readonly since: number;
}

/** The primary's side of one worker process. */
export class WorkerHandle implements Taker {
  readonly number: number;
  readonly startedAt = performance.now();
  ready = false;
  /** What it said last of itself. */
  counters: Counted = [];
  memory = 0;
  readonly #child: ChildProcess;
  readonly #untaken = new Map<number, Untaken>();
  readonly #exited = Promise.withResolvers<void>();
  #lastId = 0;
  /** A message that says that something has changed is on its way; another one is to follow it. */
  #telling = false;
  #toTell = false;
  #reason = '';

  constructor(number: number, start: Extract<ToWorker, { type: 'start' }>, events: WorkerEvents) {
    this.number = number;
    this.#child = fork(fileURLToPath(workerFile(import.meta.url, 'worker-process')), [], {
      serialization: 'advanced', execArgv: engineFlags(), env: environment(), stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child.on('message', (message: ToPrimary) => this.#heed(message, events));
    this.#child.on('error', (error) => {
      this.#reason = error.message;
      // One that could not be started does not end either.
      if (this.#child.pid === undefined) this.#end(this.#reason, events);
    });
    this.#child.once('exit', (code, signal) => this.#end(this.#reason || (signal ?? `code ${code}`), events));
    this.send(start);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get exited(): Promise<void> {
    return this.#exited.promise;
  }

  /** Whether it has yet to take a connection that it was handed a while ago. */
  get isSlow(): boolean {
    const [first] = this.#untaken.values();
    return first !== undefined && performance.now() - first.since > SLOW_MS;
  }

  send(message: ToWorker): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  /** Says that the change feed has grown, once for all growth while a worker does not listen. */
  tellChange(): void {
    if (!this.#child.connected) return;
    if (this.#telling) {
      this.#toTell = true;
      return;
    }
    this.#telling = true;
    this.#child.send({ type: 'changed' } satisfies ToWorker, () => {
      this.#telling = false;
      if (!this.#toTell) return;
      this.#toTell = false;
      this.tellChange();
    });
  }

  /** The connection stays open here, too, until the worker has it. */
  take(socket: Socket): void {
    const id = ++this.#lastId;
    this.#untaken.set(id, { socket, since: performance.now() });
    this.#child.send({ type: 'connection', id } satisfies ToWorker, socket, { keepOpen: true }, () => undefined);
  }

  /** Ends it when it is frozen. */
  look(): void {
    const [first] = this.#untaken.values();
    if (first === undefined || performance.now() - first.since < FROZEN_MS) return;
    this.#reason = 'it took no connections';
    this.kill();
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #end(reason: string, { onExit }: WorkerEvents): void {
    this.ready = false;
    const untaken = [...this.#untaken.values()].map(({ socket }) => socket);
    this.#untaken.clear();
    this.#exited.resolve();
    onExit(reason, untaken);
  }

  #heed(message: ToPrimary, { onMessage }: WorkerEvents): void {
    if (message.type === 'taken') {
      this.#untaken.get(message.id)?.socket.destroy();
      this.#untaken.delete(message.id);
    } else if (message.type === 'ready') this.ready = message.ready;
    else if (message.type === 'failed') this.#reason = message.reason;
    else onMessage(message);
  }
}

/** Flags of the engine hold for every process; others would give the child the port of this one's debugger, or modules to load. */
function engineFlags(): string[] {
  return process.execArgv.filter((flag) => /^--(no|max)-/.test(flag));
}

/** What holds secrets has been taken out of it. Compiled code is shared: compiling takes most of a start. */
function environment(): NodeJS.ProcessEnv {
  const cache = getCompileCacheDir();
  return cache === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(cache) };
}
