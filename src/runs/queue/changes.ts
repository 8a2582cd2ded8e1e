import type { Log } from '../../lib/log.ts';
import type { Queries, Transaction } from '../../storage/index.ts';
import type { ChangingListener, RunChange, RunState } from './port.ts';
import { isHeld, type RunRow } from './run-rows.ts';

interface Held {
  readonly shipId: string;
  readonly projectId: string;
  readonly fence: number;
  readonly state: RunState;
}

/** Announces changes after their commit, and derives from them which runs are held. */
export class Changes {
  readonly #log: Log;
  readonly #changing: ChangingListener[] = [];
  readonly #listeners = new Set<(change: RunChange) => void>();
  readonly #held = new Map<string, Held>();
  readonly #ofShip = new Map<string, number>();
  readonly #ofProject = new Map<string, number>();

  constructor(log: Log) {
    this.#log = log;
  }

  /** Reads which runs were held before the start. */
  async load(from: Queries): Promise<void> {
    const rows = await from.all<RunRow>("SELECT * FROM runs WHERE state IN ('running', 'cancelling') AND cells = 0");
    for (const id of this.heldRuns()) this.#set(id, undefined);
    for (const row of rows)
      this.#set(row.id, { shipId: row.ship_id!, projectId: row.project_id, fence: row.fence, state: row.state });
  }

  /** Held runs, as far as this server knows. */
  heldRuns(): string[] {
    return [...this.#held.keys()];
  }

  /** Whether this server does not know the current state of a held run. */
  isNews({ id, fence, state }: Pick<RunRow, 'id' | 'fence' | 'state'>): boolean {
    const known = this.#held.get(id);
    return known?.fence !== fence || known.state !== state;
  }

  listen(listener: (change: RunChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Adds a listener that is called in the transaction of each change; see `Queue`. */
  onChanging(listener: ChangingListener): void {
    this.#changing.push(listener);
  }

  /** A change is made in this transaction; it is announced once that is committed. */
  async record(tx: Transaction, change: RunChange): Promise<void> {
    for (const listener of this.#changing) await listener(tx, change);
    tx.onCommit(() => this.announce(change));
  }

  announce(change: RunChange): void {
    const { run } = change;
    this.#set(run.id,
      isHeld(run) ? { shipId: run.shipId!, projectId: run.projectId, fence: run.fence, state: run.state } : undefined);
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        this.#log.error({ error, runId: run.id }, 'a listener to changes of runs failed');
      }
    }
  }

  heldByShip(shipId: string): number {
    return this.#ofShip.get(shipId) ?? 0;
  }

  heldOfProject(projectId: string): number {
    return this.#ofProject.get(projectId) ?? 0;
  }

  #set(id: string, held: Held | undefined): void {
    const before = this.#held.get(id);
    if (before !== undefined) {
      add(this.#ofShip, before.shipId, -1);
      add(this.#ofProject, before.projectId, -1);
      this.#held.delete(id);
    }
    if (held === undefined) return;
    this.#held.set(id, held);
    add(this.#ofShip, held.shipId, 1);
    add(this.#ofProject, held.projectId, 1);
  }
}

function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
