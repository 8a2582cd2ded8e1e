import type { Operations } from '../../../generated/runs/operations.ts';
import { ServiceError } from '../../errors/index.ts';
import type { Context, Handlers, Precondition, Preconditions } from '../../operations/index.ts';
import type { RunRecord } from '../queue/port.ts';

export interface FenceDeps {
  readonly runOf: (id: string) => Promise<RunRecord | undefined>;
  /** The project that alerts with these labels are for. */
  readonly projectOfAlerts: (labels: Readonly<Record<string, string>>) => string | undefined;
}

type Input = Readonly<Record<string, unknown>>;
type Check = (input: Input, caller: Pick<Context, 'identity'>) => Promise<void> | void;

/** Operations whose path names a run. */
const OF_RUN: readonly (keyof Operations)[] = ['getRun', 'getRunResult', 'cancelRun', 'retryRun', 'approveRun',
  'rejectRun', 'listRunLogs', 'streamRunLogs', 'deleteRunLogs', 'listRunAttempts', 'listRunArtifacts',
  'getRunArtifact'];

/**
 * Restricts tokens with a list of projects to these projects: they do not see the runs of others and cannot queue any.
 * To list runs, they have to name a project.
 */
export function fenceProjects(handlers: Handlers<Operations>, deps: FenceDeps): Handlers<Operations> {
  const checks: Partial<Record<keyof Operations, Check>> = {
    ...checksOfPaths(deps),
    enqueueRun: ({ project_id: project }, context) => requireProject(project, context),
    getBadge: ({ id }, { identity }) => {
      if (typeof id === 'string' && !identity.may('read', id))
        throw new ServiceError('project_not_found', `there is no project ${id.slice(0, 80)}`);
    },
    listRuns: ({ project_id: project }, context) => requireProject(project, context),
    receiveAlerts: ({ commonLabels }, context) => {
      const project = deps.projectOfAlerts((commonLabels ?? {}) as Record<string, string>);
      // The caller has not named the project, so the error does not name it either.
      if (project !== undefined && !mayWrite(project, context))
        throw new ServiceError('forbidden', `${context.identity.username} is not for the project of these alerts`);
    },
  };
  const fenced = Object.entries(checks).flatMap(([id, check]) => {
    const handler = handlers[id as keyof Operations] as ((input: unknown, context: Context) => Promise<unknown>)
      | undefined;
    if (handler === undefined) return [];
    return [[id, async (input: Input, context: Context) => {
      await check(input, context);
      return handler(input, context);
    }] as const];
  });
  return {
    ...handlers,
    ...Object.fromEntries(fenced),
    ...projectsSeen(handlers),
    ...pipelinesSeen(handlers),
    ...schedulesSeen(handlers),
  } as Handlers<Operations>;
}

/**
 * Preconditions are checked before the handlers, and their errors also say what there is: so the restriction of
 * `fenceProjects` comes before them, where the path names a run or a project.
 */
export function fencePreconditions(preconditions: Preconditions<Operations>,
  deps: FenceDeps): Preconditions<Operations>
{
  const fenced = Object.entries(checksOfPaths(deps)).flatMap(([id, check]) => {
    const precondition = preconditions[id as keyof Operations] as Precondition<Input> | undefined;
    if (precondition === undefined) return [];
    return [[id, async (parameters: Input, identity: Context['identity']) => {
      await check(parameters, { identity });
      await precondition(parameters, identity);
    }] as const];
  });
  return { ...preconditions, ...Object.fromEntries(fenced) };
}

/**
 * The same restriction for files and streams that are being sent: the projects of a token may change meanwhile, and a
 * run keeps its project.
 */
export function fencesOfFiles(deps: FenceDeps): Preconditions<Operations> {
  const check: Precondition<Input> = (input, identity) => requireRun(deps, input, { identity });
  return Object.fromEntries(OF_RUN.map((id) => [id, check]));
}

/** The checks of operations whose path names a run or a project. */
function checksOfPaths(deps: FenceDeps): Readonly<Record<string, Check>> {
  return {
    ...Object.fromEntries(
      OF_RUN.map((id): [string, Check] => [id, (input, caller) => requireRun(deps, input, caller)]),
    ),
    runSchedule: ({ project_id: project }, caller) => requireProject(project, caller),
  };
}

async function requireRun({ runOf }: FenceDeps, { id }: Input, { identity }: Pick<Context, 'identity'>): Promise<void> {
  if (mayAll(identity)) return;
  const run = typeof id === 'string' ? await runOf(id) : undefined;
  if (run !== undefined && !identity.may('read', run.projectId))
    throw new ServiceError('run_not_found', 'there is no such run');
}

const mayWrite = (project: unknown, { identity }: Pick<Context, 'identity'>): boolean =>
  mayAll(identity) || (typeof project === 'string' && identity.may('write', project));

function requireProject(project: unknown, { identity }: Pick<Context, 'identity'>): void {
  if (mayWrite(project, { identity })) return;
  throw new ServiceError('forbidden',
    typeof project === 'string'
      ? `${identity.username} is not for the project ${project.slice(0, 80)}`
      : `${identity.username} is for some projects only: name one by project_id`);
}

function projectsSeen({ listProjects }: Handlers<Operations>): Handlers<Operations> {
  if (listProjects === undefined) return {};
  return {
    async listProjects(input, context) {
      const answer = await listProjects(input, context);
      return 'data' in answer
        ? { ...answer, data: answer.data.filter(({ id }) => context.identity.may('read', id)) }
        : answer;
    },
  };
}

function pipelinesSeen({ listPipelines }: Handlers<Operations>): Handlers<Operations> {
  if (listPipelines === undefined) return {};
  return {
    async listPipelines(input, context) {
      const answer = await listPipelines(input, context);
      if (!('data' in answer) || mayAll(context.identity)) return answer;
      const seen = answer.data.map((pipeline) => ({
        ...pipeline,
        projects: pipeline.projects && pipeline.projects.filter((id) => context.identity.may('read', id)),
      }));
      return { ...answer, data: seen.filter(({ projects }) => projects === null || projects.length > 0) };
    },
  };
}

function schedulesSeen({ listSchedules }: Handlers<Operations>): Handlers<Operations> {
  if (listSchedules === undefined) return {};
  return {
    async listSchedules(input, context) {
      const answer = await listSchedules(input, context);
      return 'data' in answer
        ? { ...answer, data: answer.data.filter(({ project_id: id }) => context.identity.may('read', id)) }
        : answer;
    },
  };
}

/** No project has an empty id, so only tokens for all projects pass. */
const mayAll = (identity: Context['identity']): boolean => identity.may('read', '');
