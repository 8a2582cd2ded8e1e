import type { CellValues } from '../config/index.ts';
import type { Definition } from './definition.ts';

/** The run that a request, a schedule or an alert starts; not validated yet. */
export interface RunRequest {
  readonly projectId: string;
  readonly kind: string;
  readonly task: string;
  readonly input?: string | Readonly<Record<string, unknown>> | undefined;
  /** Absent: the priority of the project. */
  readonly priority?: number | undefined;
  /** Selectors of ships, in addition to those of project and pipeline. */
  readonly runsOn?: readonly string[] | undefined;
  /** Branch, tag or commit to check out; absent for the default branch. */
  readonly gitRef?: string | undefined;
  /** Name of the schedule that starts it. */
  readonly schedule?: string | undefined;
  /** Labels of the alerts that start it. */
  readonly alertLabels?: Readonly<Record<string, string>> | undefined;
  /** Only these cells of the matrix; cells that the matrix no longer has are left out. */
  readonly cells?: readonly CellValues[] | undefined;
  /** Run only the cell with these values. */
  readonly cell?: CellValues | undefined;
  /** Least score of a successful result; absent for no minimum. */
  readonly minScore?: number | undefined;
}

/** How a run shares a group, in which only one run at a time is under way. */
export interface Concurrency {
  readonly group: string;
  /**
   * What happens to earlier runs of the group: they finish first, the waiting ones are cancelled, or the running ones
   * are cancelled too.
   */
  readonly others: 'first' | 'cancel_waiting' | 'cancel_all';
}

/** One cell of a run with a matrix. */
export interface ResolvedCell {
  readonly values: CellValues;
  readonly definition: Definition;
  readonly runsOn: readonly string[];
  readonly maxAttempts: number;
}

/** A run as resolved from the current configuration. */
export interface ResolvedRun {
  /** Validated, with the defaults of its pipeline. */
  readonly input: RunRequest['input'];
  readonly definition: Definition;
  /** Selectors of project and pipeline combined, sorted, without duplicates. */
  readonly runsOn: readonly string[];
  readonly maxAttempts: number;
  readonly concurrency?: Concurrency;
  /** The cells of its matrix, as runs of their own; absent if the run itself is executed. */
  readonly cells?: readonly ResolvedCell[];
  /** How long it waits for an approval; absent if it needs none. */
  readonly approvalMs?: number;
  readonly priority: number;
}
