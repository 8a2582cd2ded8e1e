import type { Registry } from 'prom-client';
import type { Clock, Timer } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import { Loop } from '../../../lib/loop.ts';
import type { ObjectStore } from '../../../net/objects.ts';
import type { Sql } from '../../../storage/index.ts';
import type { CheckpointFiles, Confirmation } from '../checkpoint-files.ts';
import type { Claims } from './claims.ts';
import { Errands } from './errands.ts';
import { Garbage } from './garbage.ts';
import type { Manifest } from './manifest.ts';
import { registerMetrics } from './metrics.ts';
import { CheckpointReader } from './reading.ts';
import { CheckpointWriter } from './writing.ts';

/** The copies of the checkpoints of one view in a place that several machines share. Nothing here waits for writes. */
export interface ViewCopies {
  /**
   * The newest manifests of some collections, as far as they can be read within some seconds; an empty map while the
   * place cannot be reached. Never rejects.
   */
  manifests(collections: readonly string[]): Promise<ReadonlyMap<string, Manifest>>;
  /** Replaces the file of a checkpoint. Rejects, and leaves the file as it is, if a segment is missing or damaged. */
  fetch(manifest: Manifest): Promise<void>;
  /** The file is of another version or key, and so is its copy: the next one replaces it, even at the same position. */
  unusable(collection: string): void;
  /** The file of a collection may be newer than its copy. */
  changed(collection: string): void;
  /** Checkpoints are still valid at later positions; changes up to `upTo` will be removed from the feed. */
  confirmed(confirmations: ReadonlyMap<string, Confirmation>, upTo: number): void;
  /** The collection is gone. */
  removed(collection: string): void;
  /** Copies of the collection that are not encrypted must go. */
  encrypted(collection: string): void;
}

export interface CopiesOptions {
  readonly store: ObjectStore;
  readonly claims: Claims;
  readonly sql: Pick<Sql, 'get' | 'all'>;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
  /** Whether this process writes copies; otherwise it only fetches them. */
  readonly isWriter: boolean;
  /** Aborts requests to the store that are under way. */
  readonly close?: () => void;
}

/** Milliseconds between two rounds; a new errand begins one. */
const EVERY_MS = 60_000;

/** Most milliseconds for which a stop waits for uploads. */
const STOP_MS = 5000;

/**
 * The copies of all checkpoints of this process in a bucket or a folder: uploads the files that views write, in the
 * background, and fetches those that are missing here. The files stay, so a copy is read once, and neither a write nor
 * a search waits for an upload.
 */
export class CheckpointCopies {
  readonly #options: CopiesOptions;
  readonly #reader: CheckpointReader;
  readonly #errands: Errands;
  readonly #garbage: Garbage;
  readonly #loop: Loop;
  readonly #counts = { bytesUp: 0, bytesDown: 0, sent: 0, reused: 0 };
  readonly #failures = { upload: 0, download: 0 };

  constructor(options: CopiesOptions) {
    const { store, claims, sql, clock, log, timer } = this.#options = options;
    const counts = this.#counts;
    this.#reader = new CheckpointReader({ store, clock, timer, log, counts });
    const writer = new CheckpointWriter({ store, claims, queries: sql, counts, clock });
    this.#errands = new Errands({ store, claims, writer, clock });
    this.#garbage = new Garbage({ store, sql, clock, log, timer });
    this.#loop = new Loop({
      name: 'copies of checkpoints',
      everyMs: EVERY_MS,
      waitsFirst: true,
      failure: 'checkpoints could not be copied to SVC_CHECKPOINTS; trying again',
      log,
      timer,
    }, (signal) => this.#round(signal));
  }

  /** The copies of one view; `name` is that of its files. */
  view(name: string, files: CheckpointFiles): ViewCopies {
    const index = (collection: string) => ({ name: `${name}/${collection}`, view: name, collection, files });
    const add = (collection: string, errand: Parameters<Errands['add']>[1]): void => {
      if (!this.#options.isWriter) return;
      this.#errands.add(index(collection), errand);
      this.#loop.wake();
    };
    const unusable = new Set<string>();
    return {
      manifests: (collections) => this.#reader.manifests(index, collections),
      fetch: async (manifest) => {
        try {
          await this.#reader.fetch(index(manifest.header.collection), manifest, this.#options.isWriter);
        } catch (error) {
          this.#failures.download += 1;
          throw error;
        }
      },
      unusable: (collection) => void unusable.add(collection),
      changed: (collection) => add(collection, { upload: true, replace: unusable.delete(collection) }),
      confirmed: (confirmations, upTo) => {
        for (const [collection, confirmation] of confirmations)
          if (!this.#errands.reaches(index(collection), upTo)) add(collection, { confirm: confirmation });
      },
      removed: (collection) => add(collection, { gone: true }),
      encrypted: (collection) => add(collection, { plain: true }),
    };
  }

  async start(): Promise<void> {
    if (this.#options.isWriter) this.#loop.start();
  }

  /** Begins the removal of segments that nothing names, which one process does. */
  work(): void {
    this.#garbage.loop.start();
  }

  /** Removes unused segments now. For tests. */
  collect(): Promise<void> {
    return this.#garbage.collect(new AbortController().signal);
  }

  /** Resolves when nothing is left to do, or it has to be tried again. For tests. */
  settled(): Promise<void> {
    return this.#loop.settled();
  }

  /** Uploads what views wrote when they stopped, for at most 5 s; what is left is made up for by the feed. */
  async stop(): Promise<void> {
    const { timer, close, isWriter } = this.#options;
    const over = new AbortController();
    const last = async (): Promise<void> => {
      await Promise.all([this.#garbage.loop.stop(), this.#loop.stop()]);
      if (isWriter && !over.signal.aborted) await this.#round(over.signal).catch(() => undefined);
    };
    const late = new AbortController();
    await Promise.race([last(), timer.sleep(STOP_MS, late.signal)]);
    late.abort();
    over.abort();
    close?.();
  }

  registerMetrics(registers: Registry[]): void {
    registerMetrics(registers, {
      counts: this.#counts,
      failures: () => ({ ...this.#failures, collect: this.#garbage.failures }),
      removed: () => this.#garbage.removed,
      waiting: () => this.#errands.waiting,
    });
  }

  async #round(signal: AbortSignal): Promise<void> {
    try {
      await this.#errands.run(signal);
    } catch (error) {
      if (!signal.aborted) this.#failures.upload += 1;
      throw error;
    }
  }
}
