import type { JsonValue } from '@bufbuild/protobuf';
import type { Facts } from '../conditions/index.ts';
import type { CellValues, PipelineConfig } from '../config/index.ts';
import type { ForgeOrigin } from '../forge/port.ts';

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
  /** The event of a forge that starts it; retries keep it. */
  readonly forge?: ForgeOrigin | undefined;
  /** The commit to work on, if that is known before a ship looks for it; `gitRef` leads to it. */
  readonly gitCommit?: string | undefined;
  /** The pipeline, if a repository defines it; absent for one of the configuration. */
  readonly pipeline?: PipelineConfig | undefined;
  /** What conditions of steps are decided by; absent for a run that no event of a forge starts. */
  readonly facts?: Facts | undefined;
  /** What starts a run that no event of a forge does, for conditions of steps; `manual` if absent. */
  readonly event?: 'manual' | 'schedule' | undefined;
  /** Repeats another run, so it looks for no other pipeline than that of the first one. */
  readonly isRepeated?: boolean | undefined;
  /** Only these cells; those that the pipeline no longer has are left out. */
  readonly cells?: readonly CellName[] | undefined;
  /** Run only this cell. */
  readonly cell?: CellName | undefined;
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

/**
 * A job of a run, whose cells may be assigned when the jobs that it needs have ended. The cells of a pipeline without
 * jobs are one job without a name.
 */
export interface JobRule {
  readonly name: string;
  /** Names of jobs before it. */
  readonly needs: readonly string[];
  /** How the needed jobs must have ended: all with success, one with a failure, or in any way. */
  readonly runIf: 'success' | 'failure' | 'always';
  /** The run does not fail when it does. */
  readonly continueOnError: boolean;
  /** Most cells that are under way at once; 0 for no limit. */
  readonly maxParallel: number;
  /** The first cell that fails cancels the others of the job. */
  readonly failFast: boolean;
}

/** Names a cell of a run: a job, and values of its matrix. */
export interface CellName {
  /** Empty for a pipeline without jobs. */
  readonly job: string;
  readonly values: CellValues;
}

/** One cell of a run with jobs or a matrix. */
export interface ResolvedCell extends CellName {
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
  /** The cells of its jobs or its matrix, as runs of their own; absent if the run itself is executed. */
  readonly cells?: readonly ResolvedCell[];
  /** How long it waits for an approval; absent if it needs none. */
  readonly approvalMs?: number;
  readonly priority: number;
  /** As of the request, or as found in the repository. */
  readonly forge: ForgeOrigin | undefined;
  readonly gitRef: string | undefined;
  readonly gitCommit: string | undefined;
  /** A run of a fork's code without secrets. */
  readonly isRestricted: boolean;
}

/**
 * What a run executes. It is resolved from the configuration when the run is queued, stored under the hash of its text,
 * and the same for all attempts (decisions, section 2.3, row 1). Secrets are stored by name only.
 */
export interface Definition {
  /** An `Assignment` of the fleet protocol in its JSON form, without `ref`, `input` and `secrets`. */
  readonly assignment: JsonValue;
  /** Names of the secrets that its steps receive. */
  readonly secrets: readonly string[];
  /** Audiences of the tokens that its steps receive, by the names of their variables; absent for none. */
  readonly idTokens?: Readonly<Record<string, string>>;
  /**
   * How git authenticates; `token` and `sshKey` are names of secrets, empty for none. Absent: git uses the ship's own
   * settings.
   */
  readonly git?: { readonly token: string; readonly username: string; readonly sshKey: string;
    readonly knownHosts: string; /** Beginning of the addresses that they are for. */ readonly url: string };
  /** Kinds of failure that lead to another attempt, besides failures of ships. */
  readonly retryOn: readonly ('step_failed' | 'timeout' | 'model_error')[];
  /** Time limit of an attempt, in milliseconds. */
  readonly timeoutMs: number;
  /** Variable that must be set on a ship for it to take the run (`api_key_env` of an AI role); empty for none. */
  readonly keyVariable: string;
  /** Selectors from the request itself, which retries repeat; absent for none. */
  readonly runsOn?: readonly string[];
  /** Names of the inputs that its pipeline declares; absent for none. */
  readonly inputs?: readonly string[];
  /** How the cells of the run are run, in the order of jobs, which need only jobs before them; absent for none. */
  readonly jobs?: readonly JobRule[];
  /** Names of the jobs whose artefacts it gets, as a cell; absent for none. */
  readonly artifactsFrom?: readonly string[];
  /** The run fails if its result is not JSON; absent if any result is accepted. */
  readonly result?: 'json';
  /** Steps whose conditions do not hold, in order; absent for none. */
  readonly skipped?: readonly SkippedStep[];
  /**
   * Its approval steps, in order; `before` is the index of the step that follows, without counting approvals. Absent
   * for none.
   */
  readonly approvals?: readonly ApprovalStep[];
  /** Files of the repository, in the form in which they follow the input of a prompt; absent for none. */
  readonly files?: string;
  /** A result with a lower `score` is a failure (`score_below_minimum`); absent for no minimum. */
  readonly minScore?: number;
}

/** A step that a run leaves out; `before` is the index of the step that follows, without counting approvals. */
export interface SkippedStep {
  readonly name: string;
  readonly before: number;
  /** Such as `is for tag, not for push`. */
  readonly reason: string;
}

/** A step of a pipeline at which a run waits for an approval. */
export interface ApprovalStep {
  readonly name: string;
  readonly before: number;
  readonly timeoutMs: number;
  /** For the person who decides; empty for none. */
  readonly message: string;
}

/** The steps of one part of a run: part 0 ends at the first approval step, part 1 follows it, and so on. */
export function stepsOfPart<Step>({ approvals = [] }: Pick<Definition, 'approvals'>, steps: readonly Step[],
  part: number): Step[]
{
  return steps.slice(part === 0 ? 0 : approvals[part - 1]?.before, approvals[part]?.before);
}
