import { ServiceError } from '../../../errors/index.ts';
import { unixSeconds } from '../../../lib/clock.ts';
import { Loop } from '../../../lib/loop.ts';
import type { RunsEnvironment } from '../../environment.ts';
import { type Delivery, NO_OUTCOME, noteFailure, type Outcome, pendingDeliveries, pruneDeliveries,
  settleDelivery } from '../deliveries/rows.ts';
import { GitFailure } from '../repository/index.ts';
import type { Handled } from './handle.ts';
import { storeRefs } from './refs.ts';

/** How often a server looks for deliveries that no message told it of. */
const EVERY_MS = 5000;
const BATCH = 200;
/** Repositories whose deliveries are processed at once. */
const MOST_LANES = 4;
const MAX_ATTEMPTS = 8;
/** Pauses of a repository after failures, in milliseconds: about 5 minutes together. */
const PAUSES = [2000, 5000, 10_000, 20_000, 40_000, 80_000, 120_000];
/** How long deliveries are kept, in seconds; repeated ones are known until then. */
const KEPT = 30 * 86_400;
/** The claim of the one server that processes, because two would mix up the order. */
const CLAIM = 'forge events';
const WORD = '["forge event"]';

export interface ProcessorDeps {
  readonly env: Pick<RunsEnvironment, 'sql' | 'clock' | 'timer' | 'log'>;
  /** Starts what an event starts; may be called again for the same delivery. */
  readonly handle: (delivery: Delivery) => Promise<Handled>;
}

/**
 * Processes deliveries: those of one repository in their order, at least once each. What a delivery starts has keys
 * derived from its id, so that it starts once, also if the server dies before the delivery is recorded as done.
 */
export class Processor {
  readonly #deps: ProcessorDeps;
  readonly #loop: Loop;
  /** Until when lanes pause, in milliseconds since 1970. */
  readonly #pausing = new Map<string, number>();
  #stopListening = (): void => {};

  constructor(deps: ProcessorDeps) {
    this.#deps = deps;
    const { timer, log, sql } = deps.env;
    this.#loop = new Loop({
      name: 'forge events',
      everyMs: () => this.#untilNext(),
      timer,
      log,
      failure: 'events of forges could not be processed',
    }, (signal) => this.#round(signal));
    this.#stopListening = sql.peers?.listen((message) => {
      if (message === undefined || message === WORD) this.#loop.wake();
    }) ?? this.#stopListening;
  }

  start(): void {
    this.#loop.start();
  }

  async stop(): Promise<void> {
    this.#stopListening();
    await this.#loop.stop();
  }

  /** A delivery was stored. */
  wake(): void {
    this.#loop.wake();
    this.#deps.env.sql.peers?.notify(WORD);
  }

  #untilNext(): number {
    const now = this.#deps.env.clock.now();
    return Math.max(0, Math.min(EVERY_MS, ...[...this.#pausing.values()].map((until) => until - now)));
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { sql, clock } = this.#deps.env;
    if (!(await sql.peers?.claim(CLAIM) ?? true)) return;
    await sql.transaction((tx) => pruneDeliveries(tx, unixSeconds(clock) - KEPT));
    while (!signal.aborted) {
      const lanes = this.#ready(await pendingDeliveries(sql, BATCH));
      if (lanes.length === 0) return;
      await Promise.all(lanes.slice(0, MOST_LANES).map((lane) => this.#processLane(lane, signal)));
    }
  }

  /** Deliveries by their lanes, without lanes that pause. */
  #ready(pending: readonly Delivery[]): Delivery[][] {
    const now = this.#deps.env.clock.now();
    for (const [lane, until] of this.#pausing) if (until <= now) this.#pausing.delete(lane);
    const lanes = Map.groupBy(pending, ({ lane }) => lane);
    return [...lanes].filter(([lane]) => !this.#pausing.has(lane)).map(([, deliveries]) => deliveries);
  }

  async #processLane(deliveries: readonly Delivery[], signal: AbortSignal): Promise<void> {
    for (const delivery of deliveries) if (signal.aborted || !(await this.#process(delivery))) return;
  }

  /** Returns false if the lane has to wait. */
  async #process(delivery: Delivery): Promise<boolean> {
    const { env: { sql, clock, log }, handle } = this.#deps;
    const at = unixSeconds(clock);
    try {
      const { refs, ...handled } = await handle(delivery);
      await sql.transaction(async (tx) => {
        await storeRefs(tx, refs);
        await settleDelivery(tx, delivery, { ...handled, at });
      });
      return true;
    } catch (error) {
      const reason = reasonOf(error);
      log.warn({ delivery: delivery.id, forge: delivery.forge, err: error }, 'an event of a forge cannot be processed');
      const isOver = delivery.attempts + 1 >= MAX_ATTEMPTS;
      const outcome: Outcome = NO_OUTCOME;
      await sql.transaction((tx) =>
        isOver
          ? settleDelivery(tx, delivery, { state: 'failed', reason, outcome, at })
          : noteFailure(tx, delivery, reason)
      );
      if (!isOver) this.#pausing.set(delivery.lane, clock.now() + PAUSES[Math.min(delivery.attempts, 6)]!);
      return isOver;
    }
  }
}

/** Messages of unknown errors may hold what callers must not see. */
function reasonOf(error: unknown): string {
  return error instanceof GitFailure || error instanceof ServiceError ? error.message.slice(0, 2000) : 'internal error';
}
