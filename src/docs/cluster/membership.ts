import { randomUUID } from 'node:crypto';
import type { Log } from '../../lib/log.ts';
import type { ClusterRows, NodeFacts, NodeReport } from './cluster-rows.ts';

/** How long a node counts as alive after it has renewed its lease. */
export const LEASE_MS = 15_000;
/** A node stops earlier than its lease ends for others, by more than clocks differ in this time. */
export const MARGIN_MS = 1000;

export interface MembershipDeps {
  readonly rows: ClusterRows;
  readonly facts: NodeFacts;
  readonly log: Pick<Log, 'info' | 'error'>;
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number;
  /** Returns a new id for a process. */
  readonly newProcess?: () => string;
}

/**
 * The lease of this node. It ends by the clock of the database; this node counts from the moment when it asked for it,
 * by a clock of its own, so it stops before others may take what it had, however late the answer came.
 *
 * A process whose lease has ended for others is gone with all that it owned. The node joins again as another process,
 * unless one has its name: two processes with one name would take it from each other for ever.
 */
export class Membership {
  readonly #deps: MembershipDeps;
  readonly #newProcess: () => string;
  #process: string | undefined;
  #until = -Infinity;
  #hasStarted = false;
  #isReplaced = false;

  constructor(deps: MembershipDeps) {
    this.#deps = deps;
    this.#newProcess = deps.newProcess ?? randomUUID;
  }

  /** The process that this node is to others while its lease certainly lasts; undefined otherwise. */
  get process(): string | undefined {
    return this.#deps.now() < this.#until ? this.#process : undefined;
  }

  /** Extends the lease, or joins. Rejects when the database cannot be reached; the lease then goes on until its end. */
  async renew(report: NodeReport): Promise<void> {
    const { rows, facts, now, log } = this.#deps;
    const asked = now();
    if (this.#process !== undefined) {
      if (await rows.renew(this.#process, LEASE_MS, report)) {
        this.#until = asked + LEASE_MS - MARGIN_MS;
        return;
      }
      log.info({ node: facts.name }, 'this node has lost its lease to others, and joins them again');
      this.#process = undefined;
      this.#until = -Infinity;
    }
    await this.#join();
  }

  /** Gives up the name, so that others need not wait for the end of the lease. Rejects like `renew`. */
  async leave(): Promise<void> {
    const process = this.#process;
    this.#process = undefined;
    this.#until = -Infinity;
    if (process !== undefined) await this.#deps.rows.leave(process);
  }

  async #join(): Promise<void> {
    const { rows, facts, now, log } = this.#deps;
    const process = this.#newProcess();
    const asked = now();
    if (await rows.join(facts, process, LEASE_MS, !this.#hasStarted)) {
      this.#process = process;
      this.#until = asked + LEASE_MS - MARGIN_MS;
      this.#hasStarted = true;
      this.#isReplaced = false;
      return;
    }
    if (this.#isReplaced) return;
    this.#isReplaced = true;
    log.error({ node: facts.name },
      `another process has the name of this node, ${facts.name}, so this one holds nothing for others; ` +
        'give each node a name of its own (SVC_NODE_NAME)');
  }
}
