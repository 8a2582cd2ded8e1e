import { Batcher } from '../../lib/batcher.ts';
import { isStoreDown } from '../storage-failures.ts';
import { completeAll, type End } from './completion.ts';
import type { Core } from './core.ts';
import { acceptAll, type Acceptance } from './holding.ts';
import type { Completion, CompletionStatus, RunRef } from './port.ts';

/** Most reports that are written in one transaction. */
const BATCH = 64;

type Report = Acceptance | End;

/** Each statement checks the rows that it changes, or locks them before they are checked. */
const WRITING = { isolation: 'read committed' } as const;

/** Writes the acceptances and ends of runs together, in one transaction at a time. */
export class JoinedReports {
  readonly #reports: Batcher<Report, 'accepted' | CompletionStatus>;

  constructor(core: Core) {
    this.#reports = new Batcher({
      process: (reports) => writeAll(core, reports),
      most: BATCH,
      joining: beforeEnds,
      concernsAll: isStoreDown,
    });
  }

  accept(ref: RunRef, shipId: string): Promise<'accepted' | 'fenced'> {
    return this.#reports.add({ ref, shipId }) as Promise<'accepted' | 'fenced'>;
  }

  complete(ref: RunRef, shipId: string, completion: Completion): Promise<CompletionStatus> {
    return this.#reports.add({ ref, shipId, completion }) as Promise<CompletionStatus>;
  }

  /** Resolves when all reports are processed. */
  idle(): Promise<void> {
    return this.#reports.idle();
  }
}

/** A report on a run waits for another one on that run, except the end of a run for its acceptance. */
function beforeEnds(): (report: Report) => boolean {
  const ended = new Set<string>();
  return (report) => {
    if (ended.has(report.ref.runId)) return false;
    if (isEnd(report)) ended.add(report.ref.runId);
    return true;
  };
}

function writeAll(core: Core, reports: readonly Report[]): Promise<('accepted' | CompletionStatus)[]> {
  return core.env.sql.transaction(async (tx) => {
    const accepted = (await acceptAll(core, tx, reports.filter((report) => !isEnd(report)))).values();
    const completed = (await completeAll(core, tx, reports.filter(isEnd))).values();
    return reports.map((report) => (isEnd(report) ? completed : accepted).next().value!);
  }, WRITING);
}

function isEnd(report: Report): report is End {
  return 'completion' in report;
}
