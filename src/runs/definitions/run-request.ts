import type { CellValues } from '../config/index.ts';
import type { Definition } from './definition.ts';

/** What is to be run, as a request, a schedule or an alert says it; not checked yet. */
export interface RunRequest {
  readonly projectId: string;
  readonly kind: string;
  readonly task: string;
  readonly input?: string | Readonly<Record<string, unknown>> | undefined;
  /** Absent: the project's. */
  readonly priority?: number | undefined;
  /** Selectors of ships, besides those of project and pipeline. */
  readonly runsOn?: readonly string[] | undefined;
  /** Branch, tag or commit to be checked out; absent for the default branch. */
  readonly gitRef?: string | undefined;
  /** Name of the schedule that asks for it. */
  readonly schedule?: string | undefined;
  /** Labels of the alerts that ask for it. */
  readonly alertLabels?: Readonly<Record<string, string>> | undefined;
  /** Only these cells of the matrix; one that is no longer among them is left out. */
  readonly cells?: readonly CellValues[] | undefined;
  /** A cell by itself, with these values. */
  readonly cell?: CellValues | undefined;
  /** Least score of the result that is a success; absent where none is asked for. */
  readonly minScore?: number | undefined;
}

/** How a run shares a group with others, of which one at a time is under way. */
export interface Concurrency {
  readonly group: string;
  /** What becomes of the runs before it: they go first, those that wait are cancelled, or those that run as well. */
  readonly others: 'first' | 'cancel_waiting' | 'cancel_all';
}

/** One cell of a run with a matrix. */
export interface ResolvedCell {
  readonly values: CellValues;
  readonly definition: Definition;
  readonly runsOn: readonly string[];
  readonly maxAttempts: number;
}

/** What a run is made of, by the configuration of this moment. */
export interface ResolvedRun {
  /** Checked, with the defaults of its pipeline. */
  readonly input: RunRequest['input'];
  readonly definition: Definition;
  /** Selectors of project and pipeline together, sorted, without duplicates. */
  readonly runsOn: readonly string[];
  readonly maxAttempts: number;
  readonly concurrency?: Concurrency;
  /** The runs that it stands for; absent where it is executed itself. */
  readonly cells?: readonly ResolvedCell[];
  /** How long it waits for an approval; absent where it needs none. */
  readonly approvalMs?: number;
  readonly priority: number;
}
