import { create, toJson } from '@bufbuild/protobuf';
import { readFile } from 'node:fs/promises';
import { AssignmentSchema } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { ServiceError } from '../../errors/index.ts';
import { decodeUtf8 } from '../../lib/bytes.ts';
import { didYouMean } from '../../lib/did-you-mean.ts';
import { isGitRef } from '../../lib/git-ref.ts';
import type { Log } from '../../lib/log.ts';
import { MANUAL, unmet } from '../conditions/index.ts';
import { type CellValues, fillCell, inDataDir, type PipelineConfig, type ProjectConfig, readInputs, type RoleConfig,
  type RunsConfig, type StepConfig } from '../config/index.ts';
import type { FilesAt, RepositoryReader } from '../forge/port.ts';
import { concurrencyOf } from './concurrency.ts';
import type { CellName, Definition, ResolvedCell, ResolvedRun, RunRequest, SkippedStep } from './definition.ts';
import { forkSpace } from './fork-space.ts';
import { jobsOf, onlyCells, type PipelineJob } from './jobs.ts';
import { aiTextPlan, approvalSteps, diagnosticPlan, isForBoth, milliseconds, pipelinePlan,
  type Plan } from './plans.ts';
import { namedCredentials, urlOf } from './remote.ts';
import { promptFiles } from './role-files.ts';
import { withNeeds } from './step-needs.ts';

/** A diagnostic run checks this machine, one repository and the endpoints of some roles, at most 20 seconds each. */
const DIAGNOSTIC_TIMEOUT_MS = 600_000;

export interface ResolveDeps {
  /** Whether the variable is set on a machine that executes runs. */
  readonly keyVariableAvailable: (name: string) => boolean;
  readonly log: Log;
  /** Absent where no repository is read. */
  readonly repositories?: RepositoryReader | undefined;
}

/** The differences between the kinds of run. */
interface Work {
  readonly plan: Plan;
  readonly timeoutMs: number;
  readonly maxAttempts: number;
  readonly pipeline?: PipelineConfig | undefined;
  /** The input after validation; absent: unchanged. */
  readonly input?: RunRequest['input'];
  readonly keyVariable?: string;
  readonly artifactsFrom?: readonly string[];
  readonly skipped?: readonly SkippedStep[];
  /** Of the role. */
  readonly files?: FilesAt | undefined;
}

type Resolver = (config: RunsConfig, project: ProjectConfig, request: RunRequest, deps: ResolveDeps) => Work | Promise<
  Work
>;

const RESOLVERS: Readonly<Record<string, Resolver>> = { diagnostic, pipeline, ai_text: aiText };

/**
 * Resolves what a run executes from the configuration (decisions, section 2.3, row 1). Checks in the order of section
 * 2.1: `unsupported_kind`, `project_unavailable`, `pipeline_unavailable` or `model_or_input_unavailable`.
 */
export async function resolveRun(config: RunsConfig, asked: RunRequest, deps: ResolveDeps): Promise<ResolvedRun> {
  const resolver = Object.hasOwn(RESOLVERS, asked.kind) ? RESOLVERS[asked.kind] : undefined;
  if (resolver === undefined)
    throw new ServiceError('unsupported_kind', 'kind must be one of diagnostic, pipeline, ai_text');
  const project = config.projects.find(({ id }) => id === asked.projectId);
  if (project === undefined)
    throw new ServiceError('project_unavailable',
      `there is no project ${quoted(asked.projectId)}${
        hint(asked.projectId, config.projects.filter(({ enabled }) => enabled).map(({ id }) => id), 'there are')
      }`);
  if (!project.enabled) throw new ServiceError('project_unavailable', `the project ${project.id} is disabled`);
  const request = await withPipeline(config, project, asked, deps);
  const work = await resolver(config, project, request, deps);
  if (request.gitRef !== undefined) requireRef(request.gitRef, request, work.pipeline);
  const input = work.input ?? request.input;
  const concurrency = work.pipeline && concurrencyOf(work.pipeline, { ...request, input });
  const toCell = (part: Work, { job, values }: CellName): ResolvedCell => ({
    job,
    values,
    definition: toDefinition(config, project, planned(config, project, part, values, request), request),
    runsOn: selectorsOf(project, part, request, values),
    maxAttempts: part.maxAttempts,
  });
  const jobs = work.pipeline === undefined ? [] : chosenJobs(work.pipeline, request);
  const cells: ResolvedCell[] = [];
  for (const job of jobs) {
    const part = await workOf(work, job, request);
    cells.push(...job.cells.map((cell) => toCell(part, cell)));
  }
  // A cell that is repeated is a run by itself.
  const [repeated] = request.cell === undefined ? [] : cells.splice(0);
  const own = repeated ?? cells[0] ?? toCell(work, { job: '', values: {} });
  return {
    definition: cells.length === 0 ? own.definition : { ...own.definition, jobs: jobs.map(({ rule }) => rule) },
    runsOn: cells.length === 0 ? own.runsOn : selectorsOf(project, { ...work, pipeline: undefined }, request, {}),
    input,
    cells: cells.length > 0 ? cells : undefined,
    maxAttempts: cells.length === 0 ? work.maxAttempts : 1,
    concurrency,
    approvalMs: approvalOf(project, work.pipeline, request),
    isRestricted: isRestricted(project, request),
    priority: request.priority ?? project.priority,
    forge: request.forge,
    gitRef: request.gitRef,
    gitCommit: work.files?.commit ?? request.gitCommit,
  };
}

/**
 * A request for a pipeline that the repository defines at the ref of the request, with that pipeline and its commit.
 * One of the configuration comes first, so a repository cannot take its place.
 */
async function withPipeline(config: RunsConfig, project: ProjectConfig, request: RunRequest,
  { repositories }: ResolveDeps): Promise<RunRequest>
{
  const { kind, task, event = 'manual', gitRef, gitCommit } = request;
  if (kind !== 'pipeline' || task === '' || request.forge !== undefined || request.isRepeated ||
    repositories === undefined || project.pipelines_from !== 'repository' ||
    config.pipelines.some((each) => each.name === task && isFor(each, project))) return request;
  const found = await repositories.startedPipeline(project, { task, gitRef, gitCommit, event });
  const { commit, branch, tag } = found.forge;
  const where = found.pipeline.checkout === 'none'
    ? { gitRef: undefined, gitCommit: undefined }
    : { gitRef: gitRef ?? (branch || tag || undefined), gitCommit: commit };
  return { ...request, ...found, ...where };
}

function diagnostic(config: RunsConfig, project: ProjectConfig, { task }: RunRequest): Work {
  const roles = config.ai.roles.filter((role) => isFor(role, project));
  return {
    plan: diagnosticPlan(task, urlOf(config, project), roles),
    timeoutMs: DIAGNOSTIC_TIMEOUT_MS,
    maxAttempts: config.queue.max_attempts,
  };
}

/** Selectors of project, pipeline and request combined. */
function selectorsOf(project: ProjectConfig, { pipeline: found }: Pick<Work, 'pipeline'>, request: RunRequest,
  values: CellValues): string[]
{
  return [
    ...new Set([
      ...project.runs_on,
      ...(found?.runs_on ?? []).map((label) => fillCell(label, values)),
      ...(request.forge?.definition === undefined ? [] : project.repository_pipelines.runs_on),
      ...(isRestricted(project, request) ? project.forks.runs_on : []),
      ...(request.runsOn ?? []),
    ]),
  ].sort();
}

function chosenJobs(pipeline: PipelineConfig, { cell, cells }: Pick<RunRequest, 'cell' | 'cells'>): PipelineJob[] {
  const jobs = jobsOf(pipeline);
  const only = cell === undefined ? cells : [cell];
  if (only === undefined) return jobs;
  const chosen = onlyCells(jobs, only);
  if (chosen.length === 0)
    throw new ServiceError('pipeline_unavailable',
      `the pipeline ${pipeline.name} no longer has any of the jobs and cells that are to run again`);
  return chosen;
}

/** What a job does differently from its pipeline. */
async function workOf(work: Work, { pipeline: whole, artifactsFrom, rule }: PipelineJob,
  request: RunRequest): Promise<Work>
{
  // The steps of a pipeline with a matrix alone are chosen already.
  const { pipeline, skipped } = rule.name === ''
    ? { pipeline: whole, skipped: work.skipped }
    : await chosenSteps(whole, request);
  return {
    ...work,
    pipeline,
    skipped,
    artifactsFrom,
    timeoutMs: milliseconds(pipeline.timeout),
    maxAttempts: pipeline.max_attempts,
  };
}

/** The image of a pipeline may differ from cell to cell. */
function planned(config: RunsConfig, project: ProjectConfig, work: Work, values: CellValues,
  { forge }: RunRequest): Work
{
  return work.pipeline === undefined
    ? work
    : { ...work, plan: pipelinePlan(work.pipeline, urlOf(config, project), values, forkSpace(forge)) };
}

async function pipeline(config: RunsConfig, project: ProjectConfig, request: RunRequest): Promise<Work> {
  const { task, input, forge } = request;
  const whole = request.pipeline ?? config.pipelines.find(({ name }) => name === task);
  if (whole === undefined || !isFor(whole, project))
    throw new ServiceError('pipeline_unavailable', unknownTask('pipeline', task, project, config.pipelines));
  requireForks(project, forge);
  // Those of jobs are chosen for each job.
  const { pipeline: found, skipped } = whole.jobs.length > 0
    ? { pipeline: whole, skipped: [] }
    : await chosenSteps(whole, request);
  const work = {
    skipped,
    plan: pipelinePlan(found, urlOf(config, project), {}, forkSpace(forge)),
    timeoutMs: milliseconds(found.timeout),
    maxAttempts: found.max_attempts,
    pipeline: found,
  };
  if (found.inputs.length === 0) return work;
  const read = readInputs(found.inputs, input);
  if ('problem' in read) throw new ServiceError('invalid_input', read.problem);
  return { ...work, input: read.values };
}

/** The pipeline without the steps whose conditions do not hold. Rejects if none is left, or none can be decided. */
async function chosenSteps(whole: PipelineConfig,
  { event = 'manual', facts = { ...MANUAL, event } }: RunRequest
): Promise<{ pipeline: PipelineConfig; skipped: readonly SkippedStep[] }> {
  const steps: StepConfig[] = [];
  const skipped: SkippedStep[] = [];
  for (const step of whole.steps) {
    const reason = await unmet(step.when, facts).catch((error: Error) => {
      throw new ServiceError('pipeline_unavailable', `the condition of the step ${step.name}: ${error.message}`);
    });
    if (reason === undefined) steps.push(step);
    else skipped.push({ name: step.name, before: steps.filter(({ approval }) => !approval.required).length, reason });
  }
  // An approval stands between two commands.
  const isCommand = ({ approval }: StepConfig): boolean => !approval.required;
  const kept = steps.filter((step, at) =>
    isCommand(step) || (steps.slice(0, at).some(isCommand) && steps.slice(at).some(isCommand))
  );
  if (!kept.some(isCommand))
    throw new ServiceError('pipeline_unavailable',
      `the pipeline ${whole.name} has no step left: ${
        skipped.map(({ name, reason }) => `${name} ${reason}`).join('; ').slice(0, 500)
      }`);
  return { pipeline: { ...whole, steps: withNeeds(whole.steps, kept) }, skipped };
}

function requireForks({ id, forks }: ProjectConfig, forge: RunRequest['forge']): void {
  if (forge?.pullRequest?.isFork && forks.runs === 'never')
    throw new ServiceError('pipeline_unavailable', `the project ${id} runs nothing for forks (forks.runs)`);
}

/** Whether a run has neither secrets nor reserved ships: its code is a stranger's, and nobody has approved it. */
const isRestricted = ({ forks }: ProjectConfig, { forge }: RunRequest): boolean =>
  forge?.pullRequest?.isFork === true && forks.runs !== 'approval';

/** How long a run waits for an approval; undefined if it needs none. */
function approvalOf({ forks }: ProjectConfig, found: PipelineConfig | undefined, { forge }: RunRequest): number
  | undefined
{
  const isOfFork = forge?.pullRequest?.isFork === true && forks.runs === 'approval';
  return found?.approval.required || (found !== undefined && isOfFork)
    ? milliseconds(found.approval.timeout)
    : undefined;
}

async function aiText(config: RunsConfig, project: ProjectConfig, { task, input, gitCommit }: RunRequest,
  { keyVariableAvailable, log, repositories }: ResolveDeps): Promise<Work>
{
  const role = config.ai.roles.find(({ name }) => name === task);
  const unavailable = (message: string) => new ServiceError('model_or_input_unavailable', message);
  if (role === undefined || !isFor(role, project))
    throw unavailable(unknownTask('AI role', task, project, config.ai.roles));
  if (role.api_key_env !== '' && !keyVariableAvailable(role.api_key_env))
    throw unavailable(`no machine has the key of the role ${role.name}`);
  if (typeof input !== 'string' || input.trim() === '') throw unavailable('input must be text that is not blank');
  const plan = aiTextPlan(role, await systemPromptOf(role, config, log));
  return {
    plan,
    timeoutMs: role.timeout,
    maxAttempts: config.queue.max_attempts,
    keyVariable: role.api_key_env,
    files: role.files.length === 0 ? undefined : await repositories?.filesFor(project, role.files, gitCommit),
  };
}

function unknownTask(what: string, task: string, project: ProjectConfig,
  all: readonly (PipelineConfig | RoleConfig)[]): string
{
  return `no ${what} ${quoted(task)} in project ${project.id}${
    hint(task, all.filter((each) => isFor(each, project)).map(({ name }) => name))
  }`;
}

/**
 * The ref becomes an argument of git, so texts that are not names of refs are refused here. `found`: the pipeline of
 * the run.
 */
function requireRef(ref: string, { kind, task }: RunRequest, found: PipelineConfig | undefined): void {
  if (!isGitRef(ref))
    throw new ServiceError('invalid_input', `ref must name a branch, a tag or a commit, got ${quoted(ref)}`);
  if (found === undefined)
    throw new ServiceError('invalid_input', `ref is for pipelines: a run of the kind ${kind} checks nothing out`);
  if (found.checkout === 'none')
    throw new ServiceError('invalid_input',
      `ref is not used: the pipeline ${task} checks nothing out. Set its checkout to shallow or full`);
}

/** Names that an error message lists. */
const MAX_NAMES = 10;
/** Characters of a name that an error message repeats, because callers may pass any text. */
const SHOWN = 80;

const quoted = (name: string): string => `"${name.slice(0, SHOWN).toWellFormed()}"`;

/** Lists the available names, and suggests the ones that are similar. */
function hint(name: string, names: readonly string[], has = 'it has'): string {
  if (names.length === 0) return '; there is none';
  const more = names.length > MAX_NAMES ? `, and ${names.length - MAX_NAMES} more` : '';
  return `; ${has}: ${names.slice(0, MAX_NAMES).join(', ')}${more}${didYouMean(name, names)}`;
}

function isFor({ projects }: PipelineConfig | RoleConfig, { id }: ProjectConfig): boolean {
  return projects === null || projects.includes(id);
}

function credentialsOf({ credentials }: RunsConfig['git'], plan: Plan): Pick<Definition, 'git'> {
  const isFetched = plan.case === 'diagnostic' || (plan.case === 'pipeline' && plan.value.checkout !== 'none');
  return isFetched && plan.value.gitUrl !== '' ? namedCredentials(plan.value.gitUrl, credentials) : {};
}

function toDefinition({ queue, git }: RunsConfig, project: ProjectConfig,
  { plan, timeoutMs, pipeline: found, keyVariable = '', artifactsFrom = [], skipped = [], files }: Work,
  request: RunRequest): Definition
{
  const { minScore, runsOn = [] } = request;
  const assignment = create(AssignmentSchema, {
    projectId: project.id,
    repository: project.repository,
    issueLabel: project.issue_label,
    timeoutMs: BigInt(timeoutMs),
    cancelGraceMs: BigInt(queue.cancel_grace),
    alwaysGraceMs: BigInt(hasAlways(found) ? queue.always_grace : 0),
    stopOnPartition: found?.on_partition !== 'continue',
    env: { ...found?.env },
    plan,
  });
  return {
    assignment: toJson(AssignmentSchema, assignment),
    secrets: isRestricted(project, request) ? [] : found?.secrets ?? [],
    ...(isRestricted(project, request) ? {} : idTokensOf(found)),
    ...credentialsOf(git, plan),
    retryOn: found?.retry.on ?? [],
    timeoutMs,
    keyVariable,
    artifactsFrom: artifactsFrom.length === 0 ? undefined : artifactsFrom,
    inputs: found?.inputs.length ? found.inputs.map(({ name }) => name) : undefined,
    result: found?.result === 'json' ? 'json' : undefined,
    approvals: found?.steps.some(({ approval }) => approval.required) ? approvalSteps(found) : undefined,
    files: files && promptFiles(files),
    minScore,
    skipped: skipped.length === 0 ? undefined : skipped,
    runsOn: runsOn.length === 0 ? undefined : runsOn,
  };
}

const hasAlways = (found: PipelineConfig | undefined): boolean =>
  found?.steps.some((step) => step.always || isForBoth(step)) === true;

function idTokensOf(found: PipelineConfig | undefined): Pick<Definition, 'idTokens'> {
  const wanted = Object.entries(found?.id_token ?? {}).map(([name, { audience }]) => [name, audience] as const);
  return wanted.length === 0 ? {} : { idTokens: Object.fromEntries(wanted) };
}

/** The limit is the same as for an input. */
const MAX_BYTES = 262_144;

/**
 * The instructions of a role, from the configuration or from its file. A role whose file cannot be read is not
 * available.
 */
async function systemPromptOf(role: RoleConfig, config: RunsConfig, log: Log): Promise<string> {
  if (role.system_prompt_file === '') return role.system_prompt;
  const file = inDataDir(config, role.system_prompt_file);
  try {
    const bytes = await readFile(file);
    if (bytes.length > MAX_BYTES) throw new Error(`it has ${bytes.length} bytes; expected at most ${MAX_BYTES}`);
    const text = decodeUtf8(bytes);
    if (text === undefined) throw new Error('it is not UTF-8');
    return text;
  } catch (cause) {
    log.error({ role: role.name, file, err: cause }, 'the system prompt of an AI role cannot be read');
    throw new ServiceError('model_or_input_unavailable', `the role ${role.name} has no system prompt`, { cause });
  }
}
