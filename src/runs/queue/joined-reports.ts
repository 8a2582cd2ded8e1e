import { ServiceError } from '../../errors/index.ts';
import type { Transaction } from '../../storage/index.ts';
import { completeAll, type End } from './completion.ts';
import type { Core } from './core.ts';
import { acceptAll, type Acceptance } from './holding.ts';
import type { Completion, CompletionStatus, RunRef } from './port.ts';

/** Most reports that are written in one transaction. */
const BATCH = 64;

type Report = (
  { readonly what: Acceptance; readonly resolve: (status: 'accepted' | 'fenced') => void } | { readonly what: End;
    readonly resolve: (status: CompletionStatus) => void }
) & { readonly reject: (error: unknown) => void };

/** Codes of the store itself: no report can be written. */
const STORE_DOWN: ReadonlySet<string> = new Set(['unavailable', 'busy']);

/** Each statement checks the rows that it changes, or locks them before they are checked. */
const WRITING = { isolation: 'read committed' } as const;

/**
 * Writes the acceptances and ends of runs together: one transaction at a time, with all reports that have arrived
 * during the one before it. So the number of commits and statements for each report decreases as the load grows, and a
 * single report waits for nothing.
 */
export class JoinedReports {
  readonly #core: Core;
  #waiting: Report[] = [];
  #working: Promise<void> | undefined;

  constructor(core: Core) {
    this.#core = core;
  }

  accept(ref: RunRef, shipId: string): Promise<'accepted' | 'fenced'> {
    return new Promise((resolve, reject) => this.#add({ what: { ref, shipId }, resolve, reject }));
  }

  complete(ref: RunRef, shipId: string, completion: Completion): Promise<CompletionStatus> {
    return new Promise((resolve, reject) => this.#add({ what: { ref, shipId, completion }, resolve, reject }));
  }

  /** Resolves when all reports are processed. */
  async idle(): Promise<void> {
    await this.#working;
  }

  #add(report: Report): void {
    this.#waiting.push(report);
    this.#working ??= this.#work();
  }

  /** Never rejects. */
  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#take();
      await this.#write(batch);
    }
    this.#working = undefined;
  }

  /**
   * The first reports; a report on a run that one of them concerns waits, except the end of a run after its acceptance.
   */
  #take(): Report[] {
    const batch: Report[] = [];
    const ended = new Set<string>();
    const rest = this.#waiting.filter((report) => {
      const { ref: { runId } } = report.what;
      if (batch.length >= BATCH || ended.has(runId)) return true;
      if ('completion' in report.what) ended.add(runId);
      batch.push(report);
      return false;
    });
    this.#waiting = rest;
    return batch;
  }

  /** A report that the queue cannot process must not reject the others; a store that is unavailable rejects all. */
  async #write(batch: readonly Report[]): Promise<void> {
    try {
      const settle = await this.#core.env.sql.transaction((tx) => this.#writeIn(tx, batch), WRITING);
      settle();
    } catch (error) {
      if (batch.length === 1 || (error instanceof ServiceError && STORE_DOWN.has(error.code))) {
        for (const { reject } of batch) reject(error);
      } else for (const report of batch) await this.#write([report]);
    }
  }

  /** Returns a function that resolves the reports. */
  async #writeIn(tx: Transaction, batch: readonly Report[]): Promise<() => void> {
    const [acceptances, ends] = [batch.filter(isAcceptance), batch.filter(isEnd)];
    const accepted = await acceptAll(this.#core, tx, acceptances.map(({ what }) => what));
    const completed = await completeAll(this.#core, tx, ends.map(({ what }) => what));
    return () => {
      acceptances.forEach(({ resolve }, i) => resolve(accepted[i]!));
      ends.forEach(({ resolve }, i) => resolve(completed[i]!));
    };
  }
}

const isEnd = (report: Report): report is Extract<Report, { what: End }> => 'completion' in report.what;

const isAcceptance = (report: Report): report is Exclude<Report, { what: End }> => !isEnd(report);
