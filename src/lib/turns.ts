import { performance } from 'node:perf_hooks';

/** How long one turn of the event loop may work, in milliseconds, before further work waits for the next turn. */
const TURN_MS = 8;
/** What a loop may work in any case once it goes on, so that a busy server does not stop it. */
const LOOP_MS = 2;
/**
 * How long a turn may become, in milliseconds, if what begins takes as long as what took longest lately. The first
 * searches after a start take 10 ms and more each: begun at the end of 8 ms, they would block for 20.
 */
const MOST_MS = 16;
/** In a turn that has worked for less, work begins however long it may take, in milliseconds. */
const LEAST_MS = 1;
/** What is expected becomes shorter by this part of the time that is worked meanwhile. */
const FORGOTTEN = 0.05;

/** The event loop; tests pass another. */
export interface EventLoop {
  /** Milliseconds. */
  now(): number;
  /**
   * A number that differs from turn to turn. A turn reads from sockets first, then runs what `soon` was given before.
   */
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
 * Shares each turn of the event loop among all that work in it. A turn handles every socket that has received
 * something; without limits, the requests of sixteen clients, or the loops of sixteen requests with 8 ms each, would
 * block everything else for their sum.
 *
 * Requests begin while the turn has time left, for one that takes as long as others did lately; the others wait, in the
 * order of their arrival. Long loops go on after them, at least one in each turn.
 */
export class Turns {
  readonly #loop: EventLoop;
  readonly #requests: (() => void)[] = [];
  readonly #loops: (() => void)[] = [];
  #turn = -1;
  #begun = 0;
  #asked = 0;
  /** How long the next request may take, in milliseconds: the time between two that asked in one turn. */
  #expected = 0;
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
    const isFirst = this.#follow();
    const now = this.#loop.now();
    const took = isFirst ? 0 : now - this.#asked;
    this.#expected = Math.max(took, this.#expected - took * FORGOTTEN);
    this.#asked = now;
    const worked = now - this.#begun;
    return worked >= TURN_MS || (worked >= LEAST_MS && worked + this.#expected > MOST_MS);
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

  /** The turn begins when somebody asks for the first time in it, which returns true. */
  #follow(): boolean {
    const turn = this.#loop.turn();
    if (turn === this.#turn) return false;
    this.#turn = turn;
    this.#begun = this.#loop.now();
    this.#asked = this.#begun;
    this.#hasLooped = false;
    return true;
  }
}

/** The turns of this thread. */
export const turns = new Turns();
