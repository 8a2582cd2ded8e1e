import type { Definition } from './definition.ts';

/** What is to be run, as a request, a schedule or an alert says it; not checked yet. */
export interface RunRequest {
  readonly projectId: string;
  readonly kind: string;
  readonly task: string;
  readonly input?: string | Readonly<Record<string, unknown>> | undefined;
  /** Absent: the project's. */
  readonly priority?: number | undefined;
  /** Branch, tag or commit to be checked out; absent for the default branch. */
  readonly gitRef?: string | undefined;
  /** Least score of the result that is a success; absent where none is asked for. */
  readonly minScore?: number | undefined;
}

/** What a run is made of, by the configuration of this moment. */
export interface ResolvedRun {
  readonly definition: Definition;
  /** Selectors of project and pipeline together, sorted, without duplicates. */
  readonly runsOn: readonly string[];
  readonly maxAttempts: number;
  readonly priority: number;
}
