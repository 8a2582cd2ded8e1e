import type { Clock } from '../../../lib/clock.ts';
import { type ObjectStore, StoreFailure } from '../../../net/objects.ts';
import type { Confirmation } from '../checkpoint-files.ts';
import type { Claims } from './claims.ts';
import { foldersOf } from './manifest.ts';
import { listManifests } from './shelf.ts';
import type { CheckpointWriter, WrittenIndex } from './writing.ts';

/** What has to be done for the copy of a checkpoint. */
export interface Errand {
  readonly upload?: boolean;
  /** The upload replaces a copy of the same position or a later one. */
  readonly replace?: boolean;
  readonly confirm?: Confirmation;
  /** Copies that are not encrypted are removed; before an upload. */
  readonly plain?: boolean;
  /** All copies are removed. */
  readonly gone?: boolean;
}

interface Task {
  readonly index: WrittenIndex;
  readonly errand: Errand;
  /** When the first part of it was asked for. */
  readonly since: number;
  /** Whether another process has claimed the index; this one sees to it that the upload is made. */
  readonly isOthers?: boolean;
}

interface ErrandsDeps {
  readonly store: ObjectStore;
  readonly claims: Claims;
  readonly writer: CheckpointWriter;
  readonly clock: Clock;
}

/** A node that has written nothing for this long, while another one has something to write, loses its claim. */
export const OVERDUE_MS = 30 * 60_000;

/** Processes write the checkpoint of the same state at about the same time, by clocks that may differ by this much. */
const SAME_TIME_MS = 5 * 60_000;

/** Number of indexes that are copied at once: most are small, and a request takes longer than their bytes. */
const AT_ONCE = 4;

/** What is left to do for the copies of checkpoints. Of one index only the last state counts. */
export class Errands {
  readonly #deps: ErrandsDeps;
  readonly #tasks = new Map<string, Task>();
  /** The positions up to which copies are valid, by the name of the index, as far as this process has written them. */
  readonly #reached = new Map<string, number>();

  constructor(deps: ErrandsDeps) {
    this.#deps = deps;
  }

  /** Number of indexes that this process has to do something for. */
  get waiting(): number {
    return [...this.#tasks.values()].filter(({ isOthers }) => isOthers !== true).length;
  }

  add(index: WrittenIndex, errand: Errand): void {
    const former = this.#tasks.get(index.name);
    const since = former?.since ?? this.#deps.clock.now();
    this.#tasks.set(index.name, { index, since, errand: merged(former?.errand, errand) });
  }

  /** Whether the copy of an index is known to be valid after a position. */
  reaches({ name }: WrittenIndex, lsn: number): boolean {
    return (this.#reached.get(name) ?? -1) > lsn;
  }

  /** Does what it can; rejects with the first failure, after which it goes on unless the whole place has failed. */
  async run(signal: AbortSignal): Promise<void> {
    if (this.#tasks.size === 0) return;
    const overdue = await this.#overdue();
    const tasks = [...this.#tasks.values()];
    const epochs = await this.#deps.claims.claim(tasks.map(({ index }) => index.name), overdue);
    const failures: unknown[] = [];
    const work = async (): Promise<void> => {
      while (!signal.aborted && !failures.some((failure) => failure instanceof StoreFailure)) {
        const task = tasks.shift();
        if (task === undefined) return;
        await this.#try(task, epochs.get(task.index.name), signal).catch((error: unknown) => failures.push(error));
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    signal.throwIfAborted();
    if (failures.length > 0) throw failures[0];
  }

  async #try(task: Task, epoch: number | undefined, signal: AbortSignal): Promise<void> {
    const { index, errand, since } = task;
    const { name } = index;
    if (this.#tasks.get(name) === task) this.#tasks.delete(name);
    try {
      if (epoch !== undefined) return await this.#do(index, errand, epoch, signal);
    } catch (error) {
      this.#again(task);
      throw error;
    }
    // The process that has the claim has the same errand; if it does not do it, this one will.
    if (errand.upload === true) this.#again({ index, errand, since, isOthers: true });
  }

  async #do(index: WrittenIndex, { upload, replace, confirm, plain, gone }: Errand, epoch: number,
    signal: AbortSignal): Promise<void>
  {
    const { claims, writer } = this.#deps;
    if (gone === true) {
      await writer.remove(index, { plain: false });
      this.#reached.delete(index.name);
      return claims.forget([index.name]);
    }
    if (plain === true) await writer.remove(index, { plain: true });
    const reached = upload === true
      ? await writer.upload(index, epoch, signal, { replace: replace === true })
      : confirm && await writer.confirm(index, epoch, confirm, signal);
    if (reached !== undefined) this.#reached.set(index.name, reached);
  }

  /** What was asked for meanwhile is newer. */
  #again(task: Task): void {
    const { index, errand } = task;
    const later = this.#tasks.get(index.name);
    this.#tasks.set(index.name, later === undefined ? task : { ...task, errand: merged(errand, later.errand) });
  }

  /**
   * Indexes whose claim has to change its process. Those whose copy was written since the errand are dropped: another
   * process did it.
   */
  async #overdue(): Promise<ReadonlySet<string>> {
    const { clock, store } = this.#deps;
    const overdue = new Set<string>();
    for (const { index, since } of [...this.#tasks.values()]) {
      if (clock.now() - since < OVERDUE_MS) continue;
      const { listed } = await listManifests(store, foldersOf(index.view, index.collection).manifests);
      if (listed.some(({ putAt }) => putAt >= since - SAME_TIME_MS)) this.#tasks.delete(index.name);
      else overdue.add(index.name);
    }
    return overdue;
  }
}

function merged(former: Errand = {}, later: Errand): Errand {
  if (later.gone === true) return later;
  // The collection is there again, and the upload replaces the former copy.
  if (former.gone === true) return later.upload === true ? { upload: true, plain: true } : former;
  return { ...former, ...later, ...(former.replace === true && { replace: true }) };
}
