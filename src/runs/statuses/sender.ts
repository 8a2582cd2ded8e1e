import { backoffDelay } from '../../lib/clock.ts';
import { Loop } from '../../lib/loop.ts';
import type { RunsEnvironment } from '../environment.ts';
import { ForgeError } from '../forge/port.ts';
import { type DuePost, duePosts, nextDueMs, noteFailure, noteSent, removeOld, retryRefused } from './post-rows.ts';

/** The claim of the one server that sends, and how often the others try to take it. */
const CLAIM = 'forge-posts';
const CLAIM_AGAIN_MS = 5000;
/** First word of the messages between servers. */
const WORD = 'forge_post';
const BATCH = 100;
const IDLE_MS = 60_000;
const BACKOFF = { initial: 2000, max: 3_600_000 };
/** Pause of a forge that does not accept the token: somebody may replace it there. */
const UNAUTHORISED_MS = 300_000;
const DAY_MS = 86_400_000;
const KEPT_MS = 30 * DAY_MS;
const SWEEP_MS = 3_600_000;
const MAX_ERROR = 500;

interface SenderDeps {
  readonly env: Pick<RunsEnvironment, 'sql' | 'clock' | 'timer' | 'log' | 'config'>;
  /** Has the forge show something; returns the id of a comment, or an empty text. Rejects with `ForgeError`. */
  readonly show: (post: DuePost) => Promise<string>;
}

/** A forge that is left alone for a while. */
interface Pause {
  readonly untilMs: number;
  readonly failures: number;
}

/**
 * Sends what forges are to show until each has accepted the last value. If several servers share a store only one of
 * them sends, because two would mix up the order. To one forge, one request is under way at a time, as GitHub asks for.
 */
export class Sender {
  readonly #deps: SenderDeps;
  readonly #loop: Loop;
  readonly #pauses = new Map<string, Pause>();
  #isOurs = false;
  #waitMs = IDLE_MS;
  #sweptMs = 0;
  #isReset = true;
  #ends: (() => void)[] = [];

  constructor(deps: SenderDeps) {
    const { timer, log } = (this.#deps = deps).env;
    this.#loop = new Loop({
      name: 'statuses',
      everyMs: () => this.#waitMs,
      backoff: { initial: 1000, max: IDLE_MS },
      failure: 'statuses of commits could not be sent; trying again',
      timer,
      log,
    }, (signal) => this.#round(signal));
  }

  start(): void {
    if (this.#ends.length > 0) return;
    const { sql: { peers }, config } = this.#deps.env;
    // A new configuration may have the token that was missing.
    this.#ends = [config.onChange(() => this.#reset()), peers?.listen((message) => {
      if (message === undefined || message.startsWith(`["${WORD}"`)) this.#loop.wake();
    }) ?? (() => {})];
    this.#loop.start();
  }

  async stop(): Promise<void> {
    for (const end of this.#ends.splice(0)) end();
    await this.#loop.stop();
  }

  /** Something is to be sent. */
  wake(): void {
    this.#loop.wake();
    if (!this.#isOurs) this.#deps.env.sql.peers?.notify(JSON.stringify([WORD]));
  }

  /** Resolves when nothing is left to do now. */
  settled(): Promise<void> {
    return this.#loop.settled();
  }

  #reset(): void {
    this.#isReset = true;
    this.#loop.wake();
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { sql, clock, config } = this.#deps.env;
    this.#isOurs ||= await sql.peers?.claim(CLAIM) ?? true;
    this.#waitMs = CLAIM_AGAIN_MS;
    if (!this.#isOurs) return;
    const now = clock.now();
    if (this.#isReset) {
      this.#isReset = false;
      this.#pauses.clear();
      await sql.transaction((tx) => retryRefused(tx, now - DAY_MS));
    }
    if (Math.abs(now - this.#sweptMs) >= SWEEP_MS) {
      this.#sweptMs = now;
      await sql.transaction((tx) => removeOld(tx, now - KEPT_MS));
    }
    const names = config.current().config.forges.map(({ name }) => name);
    const waits = await Promise.all(names.map((name) => this.#serve(name, signal)));
    this.#waitMs = Math.min(IDLE_MS, ...waits);
  }

  /** Sends what is due at one forge; returns the milliseconds until there is more to do. */
  async #serve(forge: string, signal: AbortSignal): Promise<number> {
    const { sql, clock } = this.#deps.env;
    for (;;) {
      const pause = this.#pauses.get(forge);
      const leftMs = (pause?.untilMs ?? 0) - clock.now();
      if (leftMs > 0) return leftMs;
      const due = await duePosts(sql, forge, clock.now(), BATCH);
      if (due.length === 0) {
        const next = await nextDueMs(sql, forge);
        return next === undefined ? IDLE_MS : Math.max(100, next - clock.now());
      }
      for (const post of due) {
        if (signal.aborted) return IDLE_MS;
        if (!await this.#send(post)) break;
      }
    }
  }

  /** False if the forge is to be left alone. */
  async #send(post: DuePost): Promise<boolean> {
    const { sql, clock } = this.#deps.env;
    try {
      const remoteId = await this.#deps.show(post);
      await sql.transaction((tx) => noteSent(tx, post, remoteId, clock.now()));
      this.#pauses.delete(post.forge);
      return true;
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      return this.#failed(post, error);
    }
  }

  async #failed(post: DuePost, { message, status, isLasting, retryAfterMs }: ForgeError): Promise<boolean> {
    const { sql, clock, log } = this.#deps.env;
    const now = clock.now();
    const concernsAll = (status === 0 && !isLasting) || status === 401 || status === 429 || status >= 500 ||
      retryAfterMs > 0;
    const failures = (this.#pauses.get(post.forge)?.failures ?? 0) + 1;
    const pauseMs = Math.max(retryAfterMs, status === 401 ? UNAUTHORISED_MS : backoffDelay(failures, BACKOFF));
    if (concernsAll) this.#pauses.set(post.forge, { untilMs: now + pauseMs, failures });
    const refused = isLasting && !concernsAll;
    const error = message.slice(0, MAX_ERROR);
    const nextMs = now + (concernsAll ? pauseMs : backoffDelay(post.attempts + 1, BACKOFF));
    await sql.transaction((tx) => noteFailure(tx, post, { error, isLasting: refused, nextMs }, now));
    const fields = { forge: post.forge, repository: post.repository, what: post.kind, run: post.runId, error };
    if (refused)
      log.warn(fields, 'a forge has refused something; it is tried again after a change of the configuration');
    else if (failures === 1) log.warn(fields, 'a forge has failed; trying again');
    return !concernsAll;
  }
}
