import type { Completion, NewRun, RunRef, RunState } from '../runs/queue/port.ts';

/** A run in the model. Times are elapsed milliseconds. */
export interface ModelRun {
  readonly id: string;
  readonly seq: number;
  readonly new: NewRun;
  state: RunState;
  attempt: number;
  fence: number;
  ship: string | null;
  accepted: boolean;
  queuedAt: number;
  availableAt: number;
  lease: number;
  renewed: number;
  deadline: number;
  error: string | undefined;
  /** The reported result, by fence. */
  readonly reports: Map<number, { ship: string; attempt: number; outcome: string }>;
}

const TTL = 60_000;
const DAY = 86_400_000;

/**
 * A plain implementation of the queue's state machine (run-queue decisions, section 2.3), with the default settings.
 */
export class QueueModel {
  readonly runs: ModelRun[] = [];
  readonly #avoided = new Map<string, number>();
  now = 0;

  byId(id: string): ModelRun {
    return this.runs.find((run) => run.id === id)!;
  }

  submit(id: string, run: NewRun): void {
    this.runs.push({
      id,
      seq: this.runs.length,
      new: run,
      state: 'queued',
      attempt: 1,
      fence: 0,
      ship: null,
      accepted: false,
      queuedAt: this.now,
      availableAt: 0,
      lease: 0,
      renewed: 0,
      deadline: 0,
      error: undefined,
      reports: new Map(),
    });
  }

  /** Whether the ship may be assigned the run now, apart from the limits of projects. */
  mayTake(ship: { shipId: string; labels: readonly string[] }, run: ModelRun): boolean {
    if (run.state !== 'queued' || run.availableAt > this.now || run.new.projectId === 'off') return false;
    if (!run.new.runsOn.every((label) => ship.labels.includes(label))) return false;
    return !this.#avoids(ship.shipId) && !this.#avoids(`${ship.shipId} ${laneOf(run)}`);
  }

  held(project: string): number {
    return this.runs.filter((run) => run.new.projectId === project && isHeld(run)).length;
  }

  claim(run: ModelRun, ship: string): void {
    Object.assign(run, {
      state: 'running',
      fence: run.fence + 1,
      ship,
      accepted: false,
      lease: this.now + TTL,
      renewed: this.now,
      deadline: this.now + 10_000,
    });
  }

  current(ref: RunRef, ship: string): ModelRun | undefined {
    const run = this.byId(ref.runId);
    return isHeld(run) && run.fence === ref.fence && run.attempt === ref.attempt && run.ship === ship ? run : undefined;
  }

  accept(ref: RunRef, ship: string): 'accepted' | 'fenced' {
    const run = this.current(ref, ship);
    if (run === undefined) return 'fenced';
    this.#accepted(run);
    return 'accepted';
  }

  reject(ref: RunRef, ship: string, reason: 'full' | 'unsupported'): void {
    const run = this.current(ref, ship);
    if (run === undefined) return;
    this.#avoided.set(reason === 'unsupported' ? `${ship} ${laneOf(run)}` : ship,
      this.now + (reason === 'unsupported' ? 300_000 : 1000));
    this.#notStarted(run);
  }

  renew(ref: RunRef, ship: string): boolean {
    const run = this.current(ref, ship);
    if (run === undefined) return false;
    Object.assign(run, { lease: this.now + TTL, renewed: this.now });
    return true;
  }

  complete(ref: RunRef, ship: string, { outcome, started, error }: Completion): 'recorded' | 'already_recorded'
    | 'fenced'
  {
    const run = this.current(ref, ship);
    if (run === undefined) {
      const report = this.byId(ref.runId).reports.get(ref.fence);
      return report?.ship === ship && report.outcome === outcome && report.attempt === ref.attempt
        ? 'already_recorded'
        : 'fenced';
    }
    run.reports.set(run.fence, { ship, attempt: run.attempt, outcome });
    if (run.state === 'cancelling') run.state = 'cancelled';
    else if (outcome === 'succeeded') run.state = 'succeeded';
    else if (outcome === 'failed') this.#failed(run, error!.code);
    else if (outcome === 'timed_out') this.#failed(run, 'timeout');
    else if (outcome === 'returned' && !started) this.#again(run);
    else this.#shipFault(run, 'ship_error', false);
    return 'recorded';
  }

  cancel(run: ModelRun): boolean {
    if (run.state === 'queued') run.state = 'cancelled';
    else if (run.state !== 'running') return false;
    else if (this.now - run.renewed > 30_000) Object.assign(run, { state: 'cancelled', fence: run.fence + 1 });
    else Object.assign(run, { state: 'cancelling', deadline: Math.min(run.deadline, this.now + 25_000) });
    return true;
  }

  resume(ship: string, held: readonly RunRef[]): string[] {
    const lost = new Set(this.runs.filter((run) => isHeld(run) && run.ship === ship));
    const actions = held.map((ref) => {
      const run = this.current(ref, ship);
      if (run === undefined) return 'discard';
      lost.delete(run);
      this.renew(ref, ship);
      this.#accepted(run);
      return run.state === 'cancelling' ? 'stop' : 'continue';
    });
    for (const run of lost) {
      if (run.accepted) this.#shipFault(run, 'lease_lost', true);
      else this.#notStarted(run);
    }
    return actions;
  }

  evict(ship: string): void {
    for (const run of this.runs) if (isHeld(run) && run.ship === ship) this.#shipFault(run, 'ship_revoked', true);
  }

  tick(): void {
    for (const run of this.runs) {
      if (isHeld(run) && run.lease <= this.now) this.#shipFault(run, 'lease_lost', true);
      if (isHeld(run) && run.deadline <= this.now) this.#overdue(run);
      if (run.state === 'queued' && run.queuedAt <= this.now - DAY)
        Object.assign(run, { state: 'failed', error: 'queue_timeout' });
    }
  }

  restart(): void {
    this.#avoided.clear();
    for (const run of this.runs.filter(isHeld)) {
      const deadline = run.state === 'cancelling'
        ? Math.min(run.deadline, this.now + 25_000)
        : run.accepted
        ? Math.min(Math.max(run.deadline, this.now + TTL), this.now + run.new.definition.timeoutMs + 60_000)
        : this.now + TTL;
      Object.assign(run, { lease: this.now + TTL, renewed: this.now, deadline });
    }
  }

  #avoids(key: string): boolean {
    return (this.#avoided.get(key) ?? 0) > this.now;
  }

  #accepted(run: ModelRun): void {
    if (!run.accepted && run.state === 'running') run.deadline = this.now + run.new.definition.timeoutMs + 60_000;
    run.accepted = true;
  }

  #overdue(run: ModelRun): void {
    if (run.state === 'cancelling' || !run.accepted) return this.#notStarted(run);
    const fence = run.fence;
    this.#failed(run, 'timeout');
    run.fence = fence + 1;
  }

  /** Row 12; row 11 for one that is cancelling. */
  #notStarted(run: ModelRun): void {
    if (run.state === 'cancelling') Object.assign(run, { state: 'cancelled', fence: run.fence + 1 });
    else this.#again(run);
  }

  #again(run: ModelRun): void {
    Object.assign(run, { state: 'queued', fence: run.fence + 1, ship: null, accepted: false, availableAt: 0 });
  }

  #failed(run: ModelRun, code: string): void {
    if ((run.new.definition.retryOn as readonly string[]).includes(code) && run.attempt < run.new.maxAttempts)
      this.#pause(run);
    else Object.assign(run, { state: 'failed', error: code });
  }

  #shipFault(run: ModelRun, code: string, forced: boolean): void {
    if (run.state === 'running' && run.attempt < run.new.maxAttempts) return this.#pause(run);
    if (forced) run.fence += 1;
    if (run.state === 'cancelling') run.state = 'cancelled';
    else Object.assign(run, { state: 'failed', error: code });
  }

  #pause(run: ModelRun): void {
    const until = this.now + Math.min(5000 * 2 ** (run.attempt - 1), 300_000);
    this.#again(run);
    Object.assign(run, { attempt: run.attempt + 1, queuedAt: until, availableAt: until });
  }
}

export const isHeld = (run: ModelRun): boolean => run.state === 'running' || run.state === 'cancelling';

const laneOf = ({ new: { projectId, kind, task, runsOn } }: ModelRun): string =>
  JSON.stringify([projectId, kind, task, runsOn]);
