import type { Queries, Transaction } from '../../storage/index.ts';
import type { NewRun, RunKind, Worker } from './port.ts';

/** The properties that runs share if the same ships can take them (run-queue decisions, section 6). */
export interface Lane {
  readonly id: number;
  readonly projectId: string;
  readonly kind: RunKind;
  /** Pipeline or role; empty for diagnostics, whose task is free text. */
  readonly task: string;
  readonly selectors: readonly string[];
  /** Variable that must be set on a ship; empty for none. */
  readonly keyVariable: string;
}

interface LaneRow {
  readonly [column: string]: number | string;
  readonly id: number;
  readonly project_id: string;
  readonly kind: RunKind;
  readonly task: string;
  readonly selectors: string;
  readonly key_variable: string;
}

export const NEXT_FILLED =
  "SELECT lane_id FROM runs WHERE state = 'queued' AND waits_for = 'ship' AND lane_id > ? ORDER BY lane_id LIMIT 1";

/** All lanes, and which of them may have runs to assign. Lanes are few, and are never removed. */
export class Lanes {
  readonly #byKey = new Map<string, Lane>();
  readonly #byId = new Map<number, Lane>();
  /** May contain an empty lane. Until the next tick, a lane with a run that waits for a ship may be missing. */
  readonly #backlog = new Set<number>();
  /**
   * How often each lane has been filled, so that a read that started earlier does not mark a lane as empty that has
   * been filled since.
   */
  readonly #fillings = new Map<number, number>();

  /** Loads all lanes. */
  async load(from: Queries): Promise<void> {
    for (const row of await from.all<LaneRow>('SELECT * FROM lanes')) this.#remember(row);
    await this.refresh(from);
  }

  /** Looks for lanes with runs that another server has queued and this server was not told of. */
  async refresh(from: Queries): Promise<void> {
    for (let last = 0;;) {
      const next = await from.get<{ lane_id: number }>(NEXT_FILLED, [last]);
      if (next === undefined) return;
      last = next.lane_id;
      await this.learn(from, last);
      this.#backlog.add(last);
    }
  }

  /** Returns a lane, which another server may have created. */
  async learn(from: Queries, id: number): Promise<Lane> {
    return this.#byId.get(id) ?? this.#remember((await from.get<LaneRow>('SELECT * FROM lanes WHERE id = ?', [id]))!);
  }

  /** The lane of a new run; created for the first one. */
  async of(tx: Transaction, run: NewRun): Promise<Lane> {
    const task = run.kind === 'diagnostic' ? '' : run.task;
    const values = [run.projectId, run.kind, task, JSON.stringify(run.runsOn), run.definition.keyVariable];
    const known = this.#byKey.get(keyOf(values));
    if (known !== undefined) return known;
    await tx.run(`INSERT INTO lanes(project_id, kind, task, selectors, key_variable) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT(project_id, kind, task, selectors, key_variable) DO NOTHING`, values);
    const row =
      (await tx.get<LaneRow>(
        'SELECT * FROM lanes WHERE project_id = ? AND kind = ? AND task = ? AND selectors = ? AND key_variable = ?',
        values,
      ))!;
    tx.onCommit(() => void this.#remember(row)); // not before, because the transaction may be rolled back
    return toLane(row);
  }

  get(id: number): Lane | undefined {
    return this.#byId.get(id);
  }

  backlog(): Lane[] {
    return [...this.#backlog].flatMap((id) => this.#byId.get(id) ?? []);
  }

  get hasBacklog(): boolean {
    return this.#backlog.size > 0;
  }

  filled(id: number): void {
    this.#fillings.set(id, this.fillings(id) + 1);
    this.#backlog.add(id);
  }

  /** Must be read before the runs of a lane are read. */
  fillings(id: number): number {
    return this.#fillings.get(id) ?? 0;
  }

  /** The lane was empty in a read that started after this many fillings. */
  emptied(id: number, fillings: number): void {
    if (fillings === this.fillings(id)) this.#backlog.delete(id);
  }

  #remember(row: LaneRow): Lane {
    const lane = toLane(row);
    this.#byId.set(lane.id, lane);
    this.#byKey.set(keyOf([row.project_id, row.kind, row.task, row.selectors, row.key_variable]), lane);
    return lane;
  }
}

/** Whether the worker can execute the runs of the lane. */
export function canTake(worker: Worker, lane: Lane): boolean {
  return worker.kinds.includes(lane.kind) && hasLabels(worker, lane.selectors)
    && (lane.keyVariable === '' || worker.keyVariables.includes(lane.keyVariable));
}

export function hasLabels({ labels }: Worker, selectors: readonly string[]): boolean {
  return selectors.every((selector) => labels.includes(selector));
}

const keyOf = (values: readonly string[]): string => JSON.stringify(values);

const toLane = (row: LaneRow): Lane => ({
  id: row.id,
  projectId: row.project_id,
  kind: row.kind,
  task: row.task,
  selectors: JSON.parse(row.selectors) as string[],
  keyVariable: row.key_variable,
});
