import { create, toJson } from '@bufbuild/protobuf';
import { AssignmentSchema } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { ServiceError } from '../../errors/index.ts';
import { isGitRef } from '../../lib/git-ref.ts';
import { didYouMean } from '../../lib/did-you-mean.ts';
import type { Log } from '../../lib/log.ts';
import type { PipelineConfig, ProjectConfig, RoleConfig, RunsConfig } from '../config/index.ts';
import { concurrencyOf } from './concurrency.ts';
import type { Definition } from './definition.ts';
import { aiTextPlan, diagnosticPlan, milliseconds, pipelinePlan, type Plan } from './plans.ts';
import { credentialsFor, gitUrl } from './repository.ts';
import type { ResolvedRun, RunRequest } from './run-request.ts';
import { systemPromptOf } from './system-prompt.ts';

/** A diagnostic run looks at this machine, one repository and the endpoints of some roles, 20 seconds each at most. */
const DIAGNOSTIC_TIMEOUT_MS = 600_000;

export interface ResolveDeps {
  /** Whether the variable is set on a machine that takes runs. */
  readonly keyVariableAvailable: (name: string) => boolean;
  readonly log: Log;
}

/** What the kinds differ in. */
interface Work {
  readonly plan: Plan;
  readonly timeoutMs: number;
  readonly maxAttempts: number;
  readonly pipeline?: PipelineConfig;
  readonly keyVariable?: string;
}

type Resolver = (config: RunsConfig, project: ProjectConfig, request: RunRequest, deps: ResolveDeps) => Work | Promise<Work>;

const RESOLVERS: Readonly<Record<string, Resolver>> = { diagnostic, pipeline, ai_text: aiText };

/**
 * What a run executes, by the configuration (decisions, section 2.3, row 1). Checks in the order of section 2.1:
 * `unsupported_kind`, `project_unavailable`, `pipeline_unavailable` or `model_or_input_unavailable`.
 */
export async function resolveRun(config: RunsConfig, request: RunRequest, deps: ResolveDeps): Promise<ResolvedRun> {
  const resolver = Object.hasOwn(RESOLVERS, request.kind) ? RESOLVERS[request.kind] : undefined;
  if (resolver === undefined) throw new ServiceError('unsupported_kind', 'kind must be one of diagnostic, pipeline, ai_text');
  const project = config.projects.find(({ id }) => id === request.projectId);
  if (project === undefined) throw new ServiceError('project_unavailable', `there is no project ${quoted(request.projectId)}${hint(request.projectId, config.projects.filter(({ enabled }) => enabled).map(({ id }) => id), 'there are')}`);
  if (!project.enabled) throw new ServiceError('project_unavailable', `the project ${project.id} is disabled`);
  if (request.gitRef !== undefined) requireRef(request.gitRef, request, config);
  const work = await resolver(config, project, request, deps);
  const concurrency = work.pipeline && concurrencyOf(work.pipeline, request);
  return {
    definition: toDefinition(config, project, work, request),
    runsOn: [...new Set([...project.runs_on, ...(work.pipeline?.runs_on ?? []), ...(request.runsOn ?? [])])].sort(),
    maxAttempts: work.maxAttempts,
    ...(concurrency && { concurrency }),
    ...(work.pipeline?.approval.required && { approvalMs: milliseconds(work.pipeline.approval.timeout) }),
    priority: request.priority ?? project.priority,
  };
}

function diagnostic(config: RunsConfig, project: ProjectConfig, { task }: RunRequest): Work {
  const roles = config.ai.roles.filter((role) => isFor(role, project));
  return { plan: diagnosticPlan(task, urlOf(config, project), roles), timeoutMs: DIAGNOSTIC_TIMEOUT_MS, maxAttempts: config.queue.max_attempts };
}

function pipeline(config: RunsConfig, project: ProjectConfig, { task }: RunRequest): Work {
  const found = config.pipelines.find(({ name }) => name === task);
  if (found === undefined || !isFor(found, project)) throw new ServiceError('pipeline_unavailable', unknownTask('pipeline', task, project, config.pipelines));
  return { plan: pipelinePlan(found, urlOf(config, project)), timeoutMs: milliseconds(found.timeout), maxAttempts: found.max_attempts, pipeline: found };
}

async function aiText(config: RunsConfig, project: ProjectConfig, { task, input }: RunRequest, { keyVariableAvailable, log }: ResolveDeps): Promise<Work> {
  const role = config.ai.roles.find(({ name }) => name === task);
  const unavailable = (message: string) => new ServiceError('model_or_input_unavailable', message);
  if (role === undefined || !isFor(role, project)) throw unavailable(unknownTask('AI role', task, project, config.ai.roles));
  if (role.api_key_env !== '' && !keyVariableAvailable(role.api_key_env)) throw unavailable(`no machine has the key of the role ${role.name}`);
  if (typeof input !== 'string' || input.trim() === '') throw unavailable('input must be text that is not blank');
  const plan = aiTextPlan(role, await systemPromptOf(role, config, log));
  return { plan, timeoutMs: role.timeout, maxAttempts: config.queue.max_attempts, keyVariable: role.api_key_env };
}

function unknownTask(what: string, task: string, project: ProjectConfig, all: readonly (PipelineConfig | RoleConfig)[]): string {
  return `no ${what} ${quoted(task)} in project ${project.id}${hint(task, all.filter((each) => isFor(each, project)).map(({ name }) => name))}`;
}

/** Git gets it as an argument; what is no name of a ref goes no further than here. */
function requireRef(ref: string, { kind, task }: RunRequest, { pipelines }: RunsConfig): void {
  if (!isGitRef(ref)) throw new ServiceError('invalid_input', `ref must name a branch, a tag or a commit, got ${quoted(ref)}`);
  if (kind !== 'pipeline') throw new ServiceError('invalid_input', `ref is for pipelines: a run of the kind ${kind} checks nothing out`);
  const found = pipelines.find(({ name }) => name === task);
  if (found?.checkout === 'none') throw new ServiceError('invalid_input', `ref is not used: the pipeline ${task} checks nothing out. Set its checkout to shallow or full`);
}

/** Names that a message lists. */
const MAX_NAMES = 10;
/** Letters of a name that a message repeats: it may be anything. */
const SHOWN = 80;

const quoted = (name: string): string => `"${name.slice(0, SHOWN).toWellFormed()}"`;

/** What there is instead, and which of it may have been meant. */
function hint(name: string, names: readonly string[], has = 'it has'): string {
  if (names.length === 0) return '; there is none';
  const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : '';
  return `; ${has}: ${names.slice(0, MAX_NAMES).join(', ')}${more}${didYouMean(name, names)}`;
}

function isFor({ projects }: PipelineConfig | RoleConfig, { id }: ProjectConfig): boolean {
  return projects === null || projects.includes(id);
}

function urlOf({ runtime }: RunsConfig, { repository }: ProjectConfig): string {
  return gitUrl(repository, runtime.git_url_template);
}

function credentialsOf({ credentials }: RunsConfig['git'], plan: Plan): Pick<Definition, 'git'> {
  const found = plan.case === 'pipeline' && plan.value.checkout !== 'none' ? credentialsFor(plan.value.gitUrl, credentials) : undefined;
  if (found === undefined) return {};
  return { git: { token: found.token, username: found.username, sshKey: found.ssh_key, knownHosts: found.known_hosts } };
}

function toDefinition({ queue, git }: RunsConfig, project: ProjectConfig, { plan, timeoutMs, pipeline: found, keyVariable = '' }: Work, { minScore, runsOn = [] }: RunRequest): Definition {
  const assignment = create(AssignmentSchema, {
    projectId: project.id,
    repository: project.repository,
    issueLabel: project.issue_label,
    timeoutMs: BigInt(timeoutMs),
    cancelGraceMs: BigInt(queue.cancel_grace),
    stopOnPartition: found?.on_partition !== 'continue',
    env: { ...found?.env },
    plan,
  });
  return {
    assignment: toJson(AssignmentSchema, assignment),
    secrets: found?.secrets ?? [],
    ...credentialsOf(git, plan),
    retryOn: found?.retry.on ?? [],
    timeoutMs,
    keyVariable,
    ...(minScore === undefined ? {} : { minScore }),
    ...(runsOn.length === 0 ? {} : { runsOn }),
  };
}
