import { unixSeconds } from '../../lib/clock.ts';
import { createOutbound, DeliveryEngine, type Failure, type LaneSource, type Outbound, type Outcome, poster,
  type Progress, type Sequenced } from '../../net/index.ts';
import { outbox } from '../../storage/index.ts';
import type { Environment, NotificationConfig } from '../config/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import { countDeadLetters, removeDeadLetters, writeDeadLetters } from './dead-letter-rows.ts';
import { type Letter, postOf } from './letter.ts';

/** A notification in its lane, which keeps the order of each run. */
interface Item extends Sequenced {
  readonly letter: Letter;
}

export interface DeliveriesDeps {
  readonly env: Pick<RunsEnvironment, 'sql' | 'clock' | 'timer' | 'log' | 'config' | 'version'>;
  /** Environment variables with the signing keys. */
  readonly variables: Environment;
  /** Called for each attempt, and for each notification that is given up; must not throw. */
  readonly onOutcome: (outcome: 'delivered' | 'failed' | 'dead', count: number) => void;
}

const BATCH = 200;
/** The claim of the one server that delivers, and how often the others try to take it. */
const CLAIM = 'notifications';
const CLAIM_AGAIN_MS = 5000;
/** First word of the messages between servers; the rest is the name of a webhook that has something to deliver. */
const WORD = 'notification';
const FROM_THE_START: Progress = { position: 0, open: [], failingMs: 0 };
const ALLOWED = { none: 'false', loopback: 'loopback', all: 'true' } as const;

/**
 * Delivers the outbox of each webhook: at least once, in order for each run, each webhook in its own lane. If several
 * servers share a store only one of them delivers, because two would mix up the order.
 */
export class Deliveries {
  readonly #deps: DeliveriesDeps;
  readonly #engine: DeliveryEngine;
  /** Why the last attempt of a webhook failed. */
  readonly #errors = new Map<string, string>();
  #client: { readonly key: string; readonly outbound: Outbound; readonly post: ReturnType<typeof poster> } | undefined;
  readonly #running = new Set<string>();
  readonly #givingUp = new Set<string>();
  #steps: Promise<unknown> = Promise.resolve();
  readonly #stopped = new AbortController();
  #isOurs = false;
  #isAsking = false;
  #stopListening = (): void => {};

  constructor(deps: DeliveriesDeps) {
    const { sql, log, timer } = (this.#deps = deps).env;
    this.#engine = new DeliveryEngine({
      timer,
      log,
      save: (lanes) => sql.transaction((tx) => outbox.saveLanes(tx, lanes)),
    });
    this.#stopListening = sql.peers?.listen((message) => this.#receive(message)) ?? this.#stopListening;
  }

  /**
   * Starts delivering to the configured webhooks, and deletes the outboxes of others. Must be called again after each
   * change of the configuration.
   */
  apply(): Promise<void> {
    return this.#inTurn(() => this.#apply());
  }

  /** A notification was added to the outbox of a webhook. */
  wake(name: string): void {
    this.#engine.wake(outbox.outboxLane(name));
    if (!this.#isOurs) this.#deps.env.sql.peers?.notify(JSON.stringify([WORD, name]));
  }

  #receive(message: string | undefined): void {
    if (message === undefined) return this.#engine.wake();
    const [what, name] = JSON.parse(message) as [string, string];
    if (what === WORD) this.#engine.wake(outbox.outboxLane(name));
  }

  lastErrorOf(name: string): string | undefined {
    return this.#errors.get(name);
  }

  /** Waits for a short time for deliveries under way; safe twice. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#stopListening();
    await this.#steps;
    await this.#engine.stop();
    await this.#client?.outbound.close();
    this.#client = undefined;
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const step = this.#steps.then(async () => {
      if (!this.#stopped.signal.aborted) await work();
    });
    this.#steps = step.catch((error: unknown) =>
      this.#deps.env.log.error({ err: error },
        'notifications could not be started or stopped; the next change of the configuration tries again')
    );
    return this.#steps as Promise<void>;
  }

  async #apply(): Promise<void> {
    if (!(await this.#claim())) return;
    const wanted = new Set(this.#webhooks().filter(({ enabled }) => enabled).map(({ name }) => name));
    const kept = new Set(this.#webhooks().map(({ name }) => name));
    for (const name of this.#running) if (!wanted.has(name)) await this.#shut(name);
    for (const name of await this.#known()) if (!kept.has(name)) await this.#forget(name);
    for (const name of wanted) if (!this.#running.has(name)) await this.#open(name);
  }

  /** Returns whether this server delivers; if not, it tries again after a while. */
  async #claim(): Promise<boolean> {
    const { sql: { peers }, timer } = this.#deps.env;
    this.#isOurs ||= await peers?.claim(CLAIM) ?? true;
    if (!this.#isOurs && !this.#isAsking) {
      this.#isAsking = true;
      void timer.sleep(CLAIM_AGAIN_MS, this.#stopped.signal).then(() => {
        this.#isAsking = false;
        return this.apply();
      });
    }
    return this.#isOurs;
  }

  /** Names of all webhooks with stored notifications. */
  async #known(): Promise<ReadonlySet<string>> {
    const { sql } = this.#deps.env;
    return new Set([...await outbox.outboxesInUse(sql), ...(await countDeadLetters(sql)).keys()]);
  }

  #webhooks(): readonly NotificationConfig[] {
    return this.#deps.env.config.current().config.notifications.webhooks;
  }

  async #open(name: string): Promise<void> {
    const { sql } = this.#deps.env;
    const id = outbox.outboxLane(name);
    const source: LaneSource<Item> = {
      id,
      start: (await outbox.readLane(sql, id)) ?? FROM_THE_START,
      async read(after) {
        const rows = await outbox.readOutbox(sql, id, after, BATCH);
        return { items: rows.map(itemOf), position: rows.at(-1)?.seq ?? after };
      },
      reread: async (seqs) => (await outbox.rereadOutbox(sql, id, seqs)).map(itemOf),
      send: (item, signal) => this.#send(name, item, signal),
      storeFailed: (item, failure) => this.#storeFailed(name, item, failure),
      onFailing: () => this.#onFailing(name),
    };
    this.#running.add(name);
    this.#engine.add(source);
  }

  /** Stores the position of a webhook that is disabled. */
  async #shut(name: string): Promise<void> {
    this.#running.delete(name);
    const progress = await this.#engine.remove(outbox.outboxLane(name));
    if (progress !== undefined) await this.#deps.env.sql.transaction((tx) => outbox.saveLanes(tx, [progress]));
  }

  /** Deletes everything of a webhook that is no longer configured. */
  async #forget(name: string): Promise<void> {
    this.#errors.delete(name);
    await this.#deps.env.sql.transaction(async (tx) => {
      await outbox.removeLanes(tx, name);
      await removeDeadLetters(tx, name);
    });
  }

  async #send(name: string, { letter }: Item, signal: AbortSignal): Promise<Outcome> {
    const outcome = await this.#attempt(name, letter, signal);
    if (outcome.kind === 'delivered') this.#errors.delete(name);
    else if (!signal.aborted) this.#errors.set(name, outcome.error);
    this.#deps.onOutcome(outcome.kind === 'delivered' ? 'delivered' : 'failed', 1);
    return outcome;
  }

  async #attempt(name: string, letter: Letter, signal: AbortSignal): Promise<Outcome> {
    const webhook = this.#webhooks().find((each) => each.name === name);
    if (webhook === undefined) return { kind: 'failed', error: 'the webhook is not configured any more' };
    const { url, secret_env: variable } = webhook;
    const secret = variable === '' ? '' : this.#deps.variables[variable] ?? '';
    // Without a signature, a receiver would have to refuse it or trust everyone.
    if (variable !== '' && secret === '')
      return { kind: 'failed', error: `the variable ${variable} of secret_env is not set` };
    const { version, clock } = this.#deps.env;
    return this.#post()(postOf(letter, { name, url, secret, version, now: unixSeconds(clock) }), signal);
  }

  /** Uses the policy of the current configuration. */
  #post(): ReturnType<typeof poster> {
    const { allow_private: allowed, allowlist } = this.#deps.env.config.current().config.notifications;
    const key = JSON.stringify([allowed, allowlist]);
    if (this.#client?.key !== key) {
      void this.#client?.outbound.close();
      const outbound = createOutbound({ allowPrivate: ALLOWED[allowed], allowlist });
      this.#client = { key, outbound, post: poster(outbound) };
    }
    return this.#client.post;
  }

  async #storeFailed(name: string, { letter }: Item, { error, status = 0, attempts }: Failure): Promise<void> {
    const { sql, clock, log } = this.#deps.env;
    await sql.transaction((tx) =>
      writeDeadLetters(tx, name, [{ letter, attempts, status, error, failedAt: unixSeconds(clock) }])
    );
    this.#deps.onOutcome('dead', 1);
    log.warn({ webhook: name, delivery: letter.id, event: letter.event, run: letter.runId, attempts, error },
      'a notification was given up');
  }

  /** Called repeatedly until the lane is stopped. */
  #onFailing(name: string): void {
    if (this.#givingUp.has(name)) return;
    this.#givingUp.add(name);
    void this.#inTurn(() => this.#giveUp(name)).finally(() => this.#givingUp.delete(name));
  }

  /**
   * A webhook that has accepted nothing for a day starts over: its waiting notifications become dead letters, because
   * otherwise they would wait for ever.
   */
  async #giveUp(name: string): Promise<void> {
    const { sql, clock, log } = this.#deps.env;
    const progress = await this.#engine.remove(outbox.outboxLane(name), 0);
    if (progress === undefined) return;
    this.#running.delete(name);
    const error = this.#errors.get(name) ?? 'accepted nothing for a day';
    const giveUpBatch = (): Promise<number> =>
      sql.transaction(async (tx) => {
        const rows = await outbox.readOutbox(tx, progress.lane, 0, BATCH);
        await writeDeadLetters(tx, name, rows.map((row) => ({
          letter: itemOf(row).letter,
          attempts: 0,
          status: 0,
          error,
          failedAt: unixSeconds(clock),
        })));
        await outbox.saveLanes(tx, [{
          lane: progress.lane,
          position: rows.at(-1)?.seq ?? progress.position,
          open: [],
          failingMs: 0,
        }]);
        return rows.length;
      });
    let given = 0;
    for (let batch = await giveUpBatch(); batch > 0; batch = await giveUpBatch()) given += batch;
    this.#deps.onOutcome('dead', given);
    log.warn({ webhook: name, notifications: given, error },
      'a webhook accepted nothing for a day; what waited for it was given up');
    await this.#open(name);
  }
}

function itemOf({ seq, delivery }: outbox.OutboxRow): Item {
  const letter = JSON.parse(delivery) as Letter;
  return { seq, group: '', key: letter.runId, letter };
}
