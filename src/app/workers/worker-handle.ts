import { type ChildProcess, fork } from 'node:child_process';
import { getCompileCacheDir } from 'node:module';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SocketSource } from '../../api/http/index.ts';
import type { Counted } from '../../docs/index.ts';
import { startListening } from '../../lib/address.ts';
import { workerFile } from '../../lib/thread-client.ts';
import type { ToPrimary, ToWorker } from './messages.ts';

/** A process that takes connections: a worker, or the primary itself. */
interface Taker {
  /** Neither throws nor waits. */
  take(socket: Socket): void;
}

/**
 * Accepts the connections of a port in the primary and hands them out in turn, to the primary itself as well. No data
 * is read from a connection before it is assigned to a process, so a connection that a dying worker has not taken is
 * given to another.
 */
export class Acceptor implements SocketSource {
  readonly #workers: () => readonly Taker[];
  #server: Server | undefined;
  #own: Taker | undefined;
  #turn = 0;

  /** `workers` returns those that can currently take a connection. */
  constructor(workers: () => readonly Taker[]) {
    this.#workers = workers;
  }

  async open(listen: Parameters<SocketSource['open']>[0],
    take: (socket: Socket) => void): Promise<AddressInfo | undefined>
  {
    this.#own = { take };
    const server = createServer({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true }, (socket) => {
      // A client that disconnects before it is served is not an error.
      socket.on('error', () => undefined);
      this.hand(socket);
    });
    this.#server = server;
    return startListening(server, listen);
  }

  close(): void {
    this.#server?.close();
  }

  /** Hands a connection to the process whose turn it is. */
  hand(socket: Socket): void {
    const takers = [this.#own!, ...this.#workers()];
    this.#turn = (this.#turn + 1) % takers.length;
    takers[this.#turn]!.take(socket);
  }
}

/**
 * A worker that has not taken a connection for this many milliseconds is considered frozen: it is killed, and the
 * connection goes to another.
 */
const FROZEN_MS = 10_000;

/** After this many milliseconds, other processes are preferred for new connections. */
const SLOW_MS = 500;

interface WorkerEvents {
  /** Called with messages that the handle does not process itself. */
  onMessage(message: ToPrimary): void;
  /** `untaken` are connections that it had not taken; no data has been read from them. */
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
  /** The counters that it reported last. */
  counters: Counted = [];
  memory = 0;
  readonly #child: ChildProcess;
  readonly #untaken = new Map<number, Untaken>();
  readonly #exited = Promise.withResolvers<void>();
  #lastId = 0;
  /** A message about a change is being sent; if there is another change, another message must follow. */
  #notifying = false;
  #notifyAgain = false;
  #reason = '';

  constructor(number: number, start: Extract<ToWorker, { type: 'start' }>, events: WorkerEvents) {
    this.number = number;
    this.#child = fork(fileURLToPath(workerFile(import.meta.url, 'worker-process')), [], {
      serialization: 'advanced',
      execArgv: engineFlags(),
      env: environment(),
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child.on('message', (message: ToPrimary) => this.#receive(message, events));
    this.#child.on('error', (error) => {
      this.#reason = error.message;
      // A process that could not be started emits no `exit` event.
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

  /** Whether a connection that was handed over a while ago has not been taken yet. */
  get isSlow(): boolean {
    const [first] = this.#untaken.values();
    return first !== undefined && performance.now() - first.since > SLOW_MS;
  }

  send(message: ToWorker): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  /**
   * Reports that the change feed has grown; while a report is being sent, further growth is combined into one report.
   */
  notifyChange(): void {
    if (!this.#child.connected) return;
    if (this.#notifying) {
      this.#notifyAgain = true;
      return;
    }
    this.#notifying = true;
    this.#child.send({ type: 'changed' } satisfies ToWorker, () => {
      this.#notifying = false;
      if (!this.#notifyAgain) return;
      this.#notifyAgain = false;
      this.notifyChange();
    });
  }

  /** The connection stays open in this process, too, until the worker has taken it. */
  take(socket: Socket): void {
    const id = ++this.#lastId;
    this.#untaken.set(id, { socket, since: performance.now() });
    this.#child.send({ type: 'connection', id } satisfies ToWorker, socket, { keepOpen: true }, () => undefined);
  }

  /** Kills it if it is frozen. */
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

  #receive(message: ToPrimary, { onMessage }: WorkerEvents): void {
    if (message.type === 'taken') {
      this.#untaken.get(message.id)?.socket.destroy();
      this.#untaken.delete(message.id);
    } else if (message.type === 'ready') this.ready = message.ready;
    else if (message.type === 'failed') this.#reason = message.reason;
    else onMessage(message);
  }
}

/**
 * Engine flags apply to every process; other flags would give the child the port of this process's debugger, or modules
 * to load.
 */
function engineFlags(): string[] {
  return process.execArgv.filter((flag) => /^--(no|max|minor|page)-/.test(flag));
}

/**
 * Secrets have been removed from it. The compile cache is shared, because compiling takes most of the start-up time.
 */
function environment(): NodeJS.ProcessEnv {
  const cache = getCompileCacheDir();
  return cache === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: dirname(cache) };
}
