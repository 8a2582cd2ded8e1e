import type { Operations } from '../../../generated/runs/operations.ts';
import type { Handlers, Identity, OutputOf, Preconditions } from '../../operations/index.ts';
import type { Audit } from '../audit/index.ts';
import { actorOf, mayAll } from '../auth/index.ts';
import { cellsOf, type Environment, type LiveRunsConfig, type MatrixConfig, type PipelineConfig, type ProjectConfig,
  type RoleConfig, type RunsConfig, servicesOf, type StepConfig } from '../config/index.ts';
import type { RunsEnvironment } from '../environment.ts';
import { ProjectFile } from './create-project.ts';

type Names = 'listProjects' | 'createProject' | 'replaceProject' | 'deleteProject' | 'listPipelines' | 'listRoles';
type Project = OutputOf<Operations, 'listProjects'>['data'][number];
type Pipeline = OutputOf<Operations, 'listPipelines'>['data'][number];
type PipelineStep = Pipeline['steps'][number];
type Role = OutputOf<Operations, 'listRoles'>['data'][number];

/** When schedules queue the next runs of a project, in Unix seconds; null if they do not. */
interface NextRuns {
  readonly release: number | null;
  readonly content: number | null;
}

interface ProjectsOptions {
  readonly env: RunsEnvironment;
  readonly config: LiveRunsConfig;
  /** Environment variables in which a reload finds tokens. */
  readonly variables: Environment;
  readonly audit: Audit;
  readonly nextRuns: (project: ProjectConfig) => NextRuns;
  /** Whether the ship in this process or an online one has this variable. */
  readonly keyVariableAvailable: (name: string) => boolean;
}

/** Configured projects, pipelines and AI roles (run-queue decisions, section 2.6). */
export function createProjects(
  options: ProjectsOptions,
): { handlers: Required<Pick<Handlers<Operations>, Names>>; preconditions: Preconditions<Operations> } {
  const { env, config, audit } = options;
  const file = new ProjectFile(config, options.variables, env.timer);
  const current = (): RunsConfig => config.current().config;
  const present = (project: ProjectConfig): Project => presentProject(project, current(), options.nextRuns(project));

  /** The file is already written, even if the audit entry fails. */
  async function note(actor: string, id: string, change: 'added' | 'replaced' | 'deleted',
    detail: object = {}): Promise<void>
  {
    env.log.info({ project: id }, `a project is ${change}`);
    try {
      await env.sql.transaction((tx) => audit.record(tx, actor, 'project', id, { change, ...detail }));
    } catch (error) {
      env.log.error({ err: error, project: id }, 'the change of a project could not be noted in the audit log');
    }
  }

  const writable = (): void => file.requireWritable();

  return {
    // Checked before the request is validated, so that a caller of a read-only configuration learns that first.
    preconditions: { createProject: writable, replaceProject: writable, deleteProject: writable },
    handlers: {
      async listProjects(_, { identity }) {
        const seen = current().projects.filter(({ id }) => identity.may('read', id));
        return { data: seen.map(present), read_only: config.current().readOnly };
      },
      async createProject(input, context) {
        const project = await file.add(input);
        await note(actorOf(context), project.id, 'added', { repository: project.repository });
        return { data: present(project) };
      },
      async replaceProject({ id, ...input }, context) {
        const project = await file.replace(id, input);
        await note(actorOf(context), id, 'replaced', { enabled: project.enabled });
        return { data: present(project) };
      },
      async deleteProject({ id }, context) {
        await file.remove(id);
        await note(actorOf(context), id, 'deleted');
      },
      async listPipelines(_, { identity }) {
        return { data: current().pipelines.flatMap((pipeline) => seenBy(identity, presentPipeline(pipeline))) };
      },
      async listRoles(_, { identity }) {
        const seen = current().ai.roles.filter(({ projects }) =>
          projects === null || projects.some((id) => identity.may('read', id))
        );
        return { data: seen.map((role) => presentRole(role, options.keyVariableAvailable)) };
      },
    },
  };
}

/** A pipeline as the holder of a token sees it: without projects of others; empty if it is for no project of theirs. */
export function seenBy(identity: Identity, pipeline: Pipeline): Pipeline[] {
  if (mayAll(identity)) return [pipeline];
  const projects = pipeline.projects && pipeline.projects.filter((id) => identity.may('read', id));
  return projects?.length === 0 ? [] : [{ ...pipeline, projects }];
}

type Writable<T> = T extends object ? { -readonly [Key in keyof T]: Writable<T[Key]> } : T;

function presentProject(project: ProjectConfig, { pipelines }: RunsConfig, next: NextRuns): Project {
  const { id } = project;
  return {
    // What is configured may not be changed, but clients and their types know of no such difference.
    ...structuredClone(project) as Writable<ProjectConfig>,
    pipelines: pipelines.filter(({ projects }) => projects === null || projects.includes(id)).map(({ name }) => name),
    next_release_at: next.release,
    next_content_at: next.content,
  };
}

/** Without commands and environment, which often contain secrets. */
function presentPipeline(
  { name, description, projects, runs_on, timeout, max_attempts, steps, services, jobs, inputs, matrix }:
    PipelineConfig,
): Pipeline {
  return {
    name,
    description,
    timeout,
    max_attempts,
    projects: projects && [...projects],
    runs_on: [...runs_on],
    steps: steps.map(presentStep),
    services: services.map((service) => service.name),
    jobs: jobs.map((job) => ({
      name: job.name,
      needs: [...job.needs],
      if: job.if,
      continue_on_error: job.continue_on_error,
      steps: job.steps.map(presentStep),
      services: servicesOf({ services }, job).map((service) => service.name),
      matrix: presentMatrix(job.matrix),
    })),
    inputs: inputs.map((input) => ({
      ...input,
      required: input.required && input.default === null,
      choices: [...input.choices],
      pattern: input.pattern === '' ? null : input.pattern,
    })),
    matrix: presentMatrix(matrix),
  };
}

const presentStep = ({ name, timeout, approval, needs }: StepConfig): PipelineStep => ({
  name,
  timeout: approval.required ? approval.timeout : timeout,
  approval: approval.required,
  needs: needs && [...needs],
});

function presentMatrix(matrix: MatrixConfig): Pipeline['matrix'] {
  const cells = cellsOf(matrix);
  return cells.length === 0 ? null : cells;
}

/** Without prompts, endpoints and keys. */
function presentRole({ name, model, api_key_env }: RoleConfig,
  available: ProjectsOptions['keyVariableAvailable']): Role
{
  return { name, model, available: api_key_env === '' || available(api_key_env) };
}
