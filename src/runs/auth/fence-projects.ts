import { type Operations, operations } from '../../../generated/runs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import type { Identity, OperationSpec, Preconditions } from '../../operations/index.ts';
import type { RunRecord } from '../queue/port.ts';

export interface FenceDeps {
  readonly runOf: (id: string) => Promise<RunRecord | undefined>;
  /** The project that alerts with these labels are for. */
  readonly projectOfAlerts: (labels: Readonly<Record<string, string>>) => string | undefined;
}

type Input = Readonly<Record<string, unknown>>;
type Fence = (input: Input, identity: Identity) => Promise<void> | void;

const TABLE: Readonly<Record<string, OperationSpec>> = operations;

/**
 * Restricts tokens with a list of projects to these projects: they do not see the runs of others and cannot queue any.
 * To list runs and to search logs, they have to name a project. The restriction is checked with every permission, so
 * also of files and streams that are being sent: the projects of a token may change meanwhile, and a run keeps its
 * project.
 */
export function projectFences(deps: FenceDeps): Preconditions<Operations> {
  const fences: Partial<Record<keyof Operations, Fence>> = {
    ...fencesOfPaths(deps),
    enqueueRun: ({ project_id: project }, identity) => requireProject(project, identity),
    getBadge({ id }, identity) {
      if (typeof id === 'string' && !identity.may('read', id))
        throw new ServiceError('project_not_found', `there is no project ${id.slice(0, 80)}`);
    },
    listRuns: ({ project_id: project }, identity) => requireProject(project, identity),
    searchLogs: ({ project_id: project }, identity) => requireProject(project, identity),
    receiveAlerts({ commonLabels }, identity) {
      const project = deps.projectOfAlerts((commonLabels ?? {}) as Record<string, string>);
      // The caller has not named the project, so the error does not name it either.
      if (project !== undefined && !mayWrite(project, identity))
        throw new ServiceError('forbidden', `${identity.username} is not for the project of these alerts`);
    },
  };
  return fences as Preconditions<Operations>;
}

/** The fences of operations whose path names a run or a project. */
function fencesOfPaths(deps: FenceDeps): Readonly<Record<string, Fence>> {
  const ofRuns = Object.values(TABLE).filter(({ path }) => path.includes('/runs/{id}'));
  return {
    ...Object.fromEntries(
      ofRuns.map(({ id }): [string, Fence] => [id, (input, identity) => requireRun(deps, input, identity)]),
    ),
    deleteCaches: ({ id: project }, identity) => requireProject(project, identity),
    getProjectForge: ({ id: project }, identity) => requireProject(project, identity),
    pauseSchedule: ({ project_id: project }, identity) => requireProject(project, identity),
    resumeSchedule: ({ project_id: project }, identity) => requireProject(project, identity),
    runSchedule: ({ project_id: project }, identity) => requireProject(project, identity),
  };
}

async function requireRun({ runOf }: FenceDeps, { id }: Input, identity: Identity): Promise<void> {
  if (mayAll(identity)) return;
  const run = typeof id === 'string' ? await runOf(id) : undefined;
  if (run !== undefined) requireReadable(run, identity);
}

/**
 * Throws `run_not_found` for a run of a project that the caller may not see. Preconditions ask for it, too, because
 * they come before the fences, and their errors also say what there is.
 */
export function requireReadable(run: RunRecord, identity: Identity): void {
  if (!identity.may('read', run.projectId)) throw new ServiceError('run_not_found', 'there is no such run');
}

const mayWrite = (project: unknown, identity: Identity): boolean =>
  mayAll(identity) || (typeof project === 'string' && identity.may('write', project));

/** Throws `forbidden` for a project that the caller's token is not for, and for none if it is for some only. */
export function requireProject(project: unknown, identity: Identity): void {
  if (mayWrite(project, identity)) return;
  throw new ServiceError('forbidden',
    typeof project === 'string'
      ? `${identity.username} is not for the project ${project.slice(0, 80)}`
      : `${identity.username} is for some projects only: name one by project_id`);
}

/** No project has an empty id, so only tokens for all projects pass. */
export const mayAll = (identity: Identity): boolean => identity.may('read', '');
