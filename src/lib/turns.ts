import { performance } from 'node:perf_hooks';

/** How long one turn of the event loop may work, in milliseconds, before further work waits for the next turn. */
const TURN_MS = 8;
/** What a loop may work in any case once it goes on, so that a busy server does not stop it. */
const LOOP_MS = 2;

/** The event loop; tests pass another. */
export interface EventLoop {
  /** Milliseconds. */
  now(): number;
  /** A number that differs from turn to turn. A turn reads from sockets first, then runs what `soon` was given before. */
  turn(): number;
  soon(run: () => void): void;
}

const { nodeTiming } = performance;
/** The event loop of this thread. */
export const nodeLoop: EventLoop = {
  now: () => performance.now(),
  turn: () => nodeTiming.uvMetricsInfo.loopCount,
  soon: (run) => void setImmediate(run),
};

/**
 * Shares each turn of the event loop among all that work in it. A turn handles every socket that has received something; without limits, the
 * requests of sixteen clients, or the loops of sixteen requests with 8 ms each, would block everything else for their sum.
 *
 * Requests begin while the turn has time left; the others wait, in the order of their arrival. Long loops go on after them, at least one in
 * each turn.
 */
export class Turns {
  readonly #loop: EventLoop;
  readonly #requests: (() => void)[] = [];
  readonly #loops: (() => void)[] = [];
  #turn = -1;
  #begun = 0;
  #hasLooped = false;

  constructor(loop: EventLoop = nodeLoop) {
    this.#loop = loop;
  }

  /** Whether a request that begins now has to wait. */
  get isSpent(): boolean {
    return this.#requests.length > 0 || this.isOver;
  }

  /** Whether work that has begun has to wait, too: the turn has no time left. */
  get isOver(): boolean {
    this.#follow();
    return this.#loop.now() - this.#begun >= TURN_MS;
  }

  /** Resolves in a turn that has time left, after the requests that wait already. */
  request(): Promise<void> {
    return this.#wait(this.#requests);
  }

  /** Resolves in a turn that has time left, or that no other loop goes on in. */
  loop(): Promise<void> {
    return this.#wait(this.#loops);
  }

  /** When a loop that begins or goes on now has to rest, in the time of `now`. */
  restAt(): number {
    this.#follow();
    return Math.max(this.#begun + TURN_MS, this.#loop.now() + LOOP_MS);
  }

  #wait(queue: (() => void)[]): Promise<void> {
    return new Promise((resolve) => {
      queue.push(resolve);
      this.#loop.soon(this.#admit);
    });
  }

  /** Called once for each that waits: what it resumes has paused again when it is called the next time. */
  readonly #admit = (): void => {
    const resume = this.#next();
    if (resume === undefined) this.#loop.soon(this.#admit);
    else resume();
  };

  #next(): (() => void) | undefined {
    const { isOver } = this;
    if (!isOver && this.#requests.length > 0) return this.#requests.shift();
    if (isOver && this.#hasLooped) return undefined;
    const loop = this.#loops.shift();
    this.#hasLooped ||= loop !== undefined;
    return loop;
  }

  /** The turn begins when somebody asks for the first time in it. */
  #follow(): void {
    const turn = this.#loop.turn();
    if (turn === this.#turn) return;
    this.#turn = turn;
    this.#begun = this.#loop.now();
    this.#hasLooped = false;
  }
}

/** The turns of this thread. */
export const turns = new Turns();
