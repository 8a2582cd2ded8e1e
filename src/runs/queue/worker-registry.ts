import { canTake, hasLabels, type Lane } from './lanes.ts';
import type { Worker } from './port.ts';

/**
 * The worker registry: the connected workers, and for each lane the workers that can take its runs. These sets are kept
 * and not searched for each claim, because there may be a thousand ships and hundreds of lanes.
 */
export class WorkerRegistry {
  readonly #abilities = new Map<Worker, string>();
  readonly #ofLane = new Map<number, { readonly lane: Lane; readonly workers: Set<Worker> }>();

  add(worker: Worker): void {
    this.#abilities.set(worker, abilitiesOf(worker));
    for (const { lane, workers } of this.#ofLane.values()) if (canTake(worker, lane)) workers.add(worker);
  }

  remove(worker: Worker): void {
    this.#abilities.delete(worker);
    for (const { workers } of this.#ofLane.values()) workers.delete(worker);
  }

  /** Its labels, kinds or keys may have changed. */
  changed(worker: Worker): void {
    const before = this.#abilities.get(worker);
    if (before === undefined || before === abilitiesOf(worker)) return;
    this.remove(worker);
    this.add(worker);
  }

  has(worker: Worker): boolean {
    return this.#abilities.has(worker);
  }

  workers(): Iterable<Worker> {
    return this.#abilities.keys();
  }

  /** Whether any worker has all these labels. */
  anyHas(selectors: readonly string[]): boolean {
    for (const worker of this.#abilities.keys()) if (hasLabels(worker, selectors)) return true;
    return false;
  }

  ableTo(lane: Lane): ReadonlySet<Worker> {
    const known = this.#ofLane.get(lane.id);
    if (known !== undefined) return known.workers;
    const workers = new Set([...this.#abilities.keys()].filter((worker) => canTake(worker, lane)));
    this.#ofLane.set(lane.id, { lane, workers });
    return workers;
  }
}

const abilitiesOf = ({ labels, kinds, keyVariables }: Worker): string => JSON.stringify([labels, kinds, keyVariables]);
