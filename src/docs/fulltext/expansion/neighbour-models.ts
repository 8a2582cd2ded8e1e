import { ServiceError } from '../../../errors/index.ts';
import { type Backoff, backoffDelay, systemTimer, type Timer } from '../../../lib/clock.ts';
import type { Neighbours } from '../../../search/cooccurrence/index.ts';
import { type Change, memoryCursor, Subscriber } from '../../../storage/index.ts';
import type { DocsEnvironment } from '../../environment.ts';
import { CODE_CLASSES } from '../view/document-classes.ts';
import { createTrainer, type LearningRules, type Trainer } from './training.ts';

type Environment = Pick<DocsEnvironment, 'sql' | 'feed' | 'codec' | 'clock' | 'log'>;

export interface NeighbourModelsOptions {
  readonly timer?: Timer;
  /** Learns models; tests pass another one. */
  readonly trainer?: Trainer;
  /** Maximum bytes of all models together. */
  readonly maxBytes?: number;
}

/**
 * A search waits this many milliseconds for the first model of its collection; after that the search fails and the
 * training continues.
 */
export const FIRST_WAIT_MS = 5000;
/** A model is retrained when nothing was written for this many milliseconds, */
export const QUIET_MS = 2000;
/** or, if writes continue, after this many milliseconds; */
export const MAX_STALE_MS = 60_000;
/** but the trainings of a collection are at least this many times their last duration apart. */
export const REST_FACTOR = 10;
/** A model that was not used for this many milliseconds is dropped at the next write instead of being retrained. */
export const IDLE_MS = 3_600_000;
/** Maximum bytes of all models together; above this, the least recently used one is dropped. */
const MAX_BYTES = 256 * 1024 * 1024;

const BACKOFF: Backoff = { initial: QUIET_MS, max: 300_000 };

/** The model of a collection in a language, or its entry before there is one. */
interface Model {
  readonly name: string;
  readonly collection: string;
  rules: LearningRules;
  neighbours: Neighbours | undefined;
  /** The first training, while there is no model. */
  first: Promise<Neighbours> | undefined;
  /** Number of known writes, and that number when the training began. */
  writes: number;
  trained: number;
  /** Whether a retraining of the model is scheduled or running. */
  renewing: boolean;
  /** Duration of the last training in milliseconds. */
  took: number;
  usedAt: number;
}

/** State from the first use to `stop`. */
interface Run {
  readonly abort: AbortController;
  readonly subscriber: Subscriber;
  readonly renewals: Set<Promise<void>>;
  /**
   * Trainings run one after the other, so that they need the memory and the processor of one: in a queue per collection
   * if they are quick, otherwise in one queue for all collections. The value is the last promise of each queue, which
   * never rejects.
   */
  readonly lines: Map<string, Promise<void>>;
}

/**
 * Which terms occur together in each collection, learned on first use. Writes make a model stale: it remains in use
 * while a new one is trained in the background, some seconds after the last write.
 */
export class NeighbourModels {
  readonly #env: Environment;
  readonly #timer: Timer;
  readonly #trainer: Trainer;
  readonly #maxBytes: number;
  /** In the order of their last use. */
  readonly #models = new Map<string, Model>();
  #run: Promise<Run> | undefined;

  constructor(env: Environment,
    { timer = systemTimer, trainer = createTrainer(env), maxBytes = MAX_BYTES }: NeighbourModelsOptions = {})
  {
    this.#env = env;
    this.#timer = timer;
    this.#trainer = trainer;
    this.#maxBytes = maxBytes;
  }

  /**
   * Returns the model of a collection. The first search trains it; if that takes longer than some seconds, it throws
   * `index_loading` and the training continues.
   */
  async of(collection: string, rules: LearningRules, signal: AbortSignal): Promise<Neighbours> {
    const run = await (this.#run ??= this.#begin());
    const model = this.#use(collection.toLowerCase(), rules);
    if (model.rules.stopWords !== rules.stopWords || model.rules.classes !== rules.classes) {
      model.rules = rules;
      this.#noteWrite(run, model);
    }
    if (model.neighbours !== undefined) return model.neighbours;
    model.first ??= this.#train(run, model).finally(() => (model.first = undefined));
    const found = await this.#within(FIRST_WAIT_MS, model.first, signal);
    signal.throwIfAborted();
    return found;
  }

  /** Resolves when all earlier writes are known. */
  async caughtUp(): Promise<void> {
    const run = await this.#run;
    await run?.subscriber.caughtUp(await this.#env.feed.head());
  }

  /** Resolves when every model includes all earlier writes. */
  async settled(): Promise<void> {
    await this.caughtUp();
    const run = await this.#run;
    while (run !== undefined && run.renewals.size + run.lines.size > 0)
      await Promise.all([...run.renewals, ...run.lines.values()]);
  }

  /** Discards all models, and waits for running trainings; repeated calls are harmless. The next use starts again. */
  async stop(): Promise<void> {
    const begun = this.#run;
    this.#run = undefined;
    this.#models.clear();
    const run = await begun?.catch(() => undefined);
    if (run === undefined) return;
    run.abort.abort(new ServiceError('unavailable', 'the service is stopping'));
    await run.subscriber.stop();
    await Promise.all([...run.renewals, ...run.lines.values()]);
  }

  async #begin(): Promise<Run> {
    try {
      const head = await this.#env.feed.head();
      const run: Run = {
        abort: new AbortController(),
        subscriber: this.#subscriberFrom(head, () => run),
        renewals: new Set(),
        lines: new Map(),
      };
      run.subscriber.start();
      return run;
    } catch (error) {
      this.#run = undefined;
      throw error;
    }
  }

  #subscriberFrom(lsn: number, run: () => Run): Subscriber {
    const { feed, log } = this.#env;
    return new Subscriber({
      feed,
      cursor: memoryCursor(lsn),
      handle: async (changes) => this.#follow(run(), changes),
      onGap: () => {
        this.#models.clear();
        return feed.head();
      },
      onFailure: (error, failures) =>
        log.warn({ err: error, failures }, 'neighbours of terms could not follow the change feed; trying again'),
      timer: this.#timer,
    });
  }

  #follow(run: Run, changes: readonly Change[]): void {
    const of = (kinds: readonly string[]) =>
      new Set(changes.filter(({ kind }) => kinds.includes(kind)).map(({ collection }) => collection));
    const [deleted, written] = [of(['collection.delete']), of(['doc.put', 'doc.delete'])];
    for (const model of [...this.#models.values()]) {
      if (deleted.has(model.collection)) this.#models.delete(model.name);
      else if (written.has(model.collection)) this.#noteWrite(run, model);
    }
  }

  #use(collection: string, rules: LearningRules): Model {
    const documents = rules.classes === undefined ? 'all' : rules.classes === CODE_CLASSES ? 'code' : 'own';
    const name = `${rules.lang} ${documents} ${rules.stemming} ${collection}`;
    const model = this.#models.get(name) ?? {
      name,
      collection,
      rules,
      neighbours: undefined,
      first: undefined,
      writes: 0,
      trained: 0,
      renewing: false,
      took: 0,
      usedAt: 0,
    };
    model.usedAt = this.#env.clock.now();
    this.#models.delete(name);
    this.#models.set(name, model);
    return model;
  }

  #noteWrite(run: Run, model: Model): void {
    model.writes += 1;
    this.#renewLater(run, model);
  }

  #renewLater(run: Run, model: Model): void {
    // The first training checks by itself whether there were writes in the meantime.
    if (model.renewing || model.neighbours === undefined || model.writes === model.trained) return;
    model.renewing = true;
    const renewal = this.#renew(run, model).finally(() => {
      model.renewing = false;
      run.renewals.delete(renewal);
    });
    run.renewals.add(renewal);
  }

  /** Trains until the model includes all writes. Never rejects. */
  async #renew(run: Run, model: Model): Promise<void> {
    const { signal } = run.abort;
    for (let failures = 0; model.writes !== model.trained;) {
      await this.#quiet(model, signal);
      if (failures > 0) await this.#timer.sleep(backoffDelay(failures, BACKOFF), signal);
      if (!this.#isKept(model) || signal.aborted) return;
      try {
        await this.#train(run, model);
        failures = 0;
      } catch (error) {
        failures += 1;
        if (!signal.aborted)
          this.#env.log.warn({ err: error, collection: model.collection, failures },
            'neighbours of terms could not be learned again; trying again');
      }
    }
  }

  async #quiet(model: Model, signal: AbortSignal): Promise<void> {
    let seen: number;
    let waited = 0;
    do {
      seen = model.writes;
      await this.#timer.sleep(QUIET_MS, signal);
      waited += QUIET_MS;
    } while (seen !== model.writes && waited < MAX_STALE_MS && !signal.aborted);
    const rest = model.took * REST_FACTOR - waited;
    if (rest > 0) await this.#timer.sleep(rest, signal);
  }

  /** Whether a model still exists and was used recently; an unused model is dropped. */
  #isKept(model: Model): boolean {
    if (this.#models.get(model.name) !== model) return false;
    if (this.#env.clock.now() - model.usedAt < IDLE_MS) return true;
    this.#models.delete(model.name);
    return false;
  }

  async #train(run: Run, model: Model): Promise<Neighbours> {
    const line = await this.#trainer.isQuick(model.collection) ? model.collection : '';
    const training = (run.lines.get(line) ?? Promise.resolve()).then(() => this.#trainNow(run, model));
    const end = training.then(() => undefined, () => undefined).then(() => {
      if (run.lines.get(line) === end) run.lines.delete(line);
    });
    run.lines.set(line, end);
    return training;
  }

  async #trainNow(run: Run, model: Model): Promise<Neighbours> {
    run.abort.signal.throwIfAborted();
    const { writes } = model;
    const begun = this.#env.clock.now();
    const neighbours = await this.#trainer.train(model.collection, model.rules, run.abort.signal);
    model.neighbours = neighbours;
    model.took = this.#env.clock.now() - begun;
    model.trained = writes;
    this.#makeRoom(model);
    this.#renewLater(run, model);
    return neighbours;
  }

  #makeRoom(latest: Model): void {
    let bytes = 0;
    for (const { neighbours } of this.#models.values()) bytes += neighbours?.bytes ?? 0;
    for (const model of [...this.#models.values()]) {
      if (bytes <= this.#maxBytes) return;
      if (model === latest || model.neighbours === undefined) continue;
      bytes -= model.neighbours.bytes;
      this.#models.delete(model.name);
    }
  }

  async #within<T>(milliseconds: number, promise: Promise<T>, signal: AbortSignal): Promise<T> {
    const over = new AbortController();
    const late = this.#timer.sleep(milliseconds, AbortSignal.any([signal, over.signal])).then(() => {
      throw new ServiceError('index_loading', 'which terms stand together is still being learned', {
        headers: { 'Retry-After': '5' },
      });
    });
    try {
      return await Promise.race([promise, late]);
    } finally {
      over.abort();
      late.catch(() => undefined);
    }
  }
}
