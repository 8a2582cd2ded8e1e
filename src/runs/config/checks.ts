import { parseCacheKey } from '../../lib/cache-key.ts';
import { didYouMean } from '../../lib/did-you-mean.ts';
import { formatDuration } from '../../lib/duration.ts';
import { isGitRef } from '../../lib/git-ref.ts';
import { isBucketUrl } from '../../lib/setting-values.ts';
import { allowlistProblems } from '../../net/index.ts';
import { conditionProblems, forgeProblems } from './forge-checks.ts';
import { graphProblems, serviceProblems } from './graph-checks.ts';
import { checkGiven, declarationProblems, dependsOnCommits } from './inputs.ts';
import { cellsOf, fillCell, matrixProblems, MAX_CELLS } from './matrix.ts';
import { peopleProblems } from './people-checks.ts';
import { isCron } from './read-by-schema.ts';
import { LABEL_FORM } from './schema/build.ts';
import type { JobConfig, PipelineConfig, RunsConfig, StepConfig } from './schema/index.ts';

/**
 * What a schema cannot express (run-queue decisions, section 3): names are unique, references resolve, times fit
 * together. One line for each problem, with its path.
 */
export function checkTogether(config: RunsConfig): string[] {
  return [...uniqueNames(config), ...references(config), ...schedules(config), ...cronSchedules(config),
    ...notified(config), ...checkGiven(config), ...times(config), ...service(config), ...peopleProblems(config),
    ...forgeProblems(config), ...config.pipelines.flatMap(pipelineProblems)].filter(isFirst);
}

const when = (wrong: boolean, problem: string): string[] => (wrong ? [problem] : []);

/** A problem of a pipeline's service is one of each job that has it. */
const isFirst = (problem: string, at: number, all: readonly string[]): boolean => all.indexOf(problem) === at;

function uniqueNames({ projects, pipelines, ai, secrets, tokens, notifications }: RunsConfig): string[] {
  return [...duplicates('projects', 'id', projects.map(({ id }) => id)),
    ...duplicates('pipelines', 'name', pipelines.map(({ name }) => name)),
    ...pipelines.flatMap(({ jobs, inputs }, index) => [
      ...duplicates(`pipelines[${index}].jobs`, 'name', jobs.map(({ name }) => name)),
      ...duplicates(`pipelines[${index}].inputs`, 'name', inputs.map(({ name }) => name)),
    ]), ...duplicates('ai.roles', 'name', ai.roles.map(({ name }) => name)),
    ...duplicates('notifications.webhooks', 'name', notifications.webhooks.map(({ name }) => name)),
    ...duplicates('secrets', 'name', secrets.map(({ name }) => name)),
    ...duplicates('tokens', 'name', tokens.map(({ name }) => name)),
    ...duplicates('tokens', 'sha256', tokens.map(({ sha256 }) => sha256))];
}

function duplicates(path: string, field: string, names: readonly string[]): string[] {
  return names.flatMap((name, index) => {
    const first = names.indexOf(name);
    return when(first < index, `${path}[${index}].${field}: ${name} is already the ${field} of ${path}[${first}]`);
  });
}

function references({ projects, pipelines, ai, secrets, git, alerts, tokens }: RunsConfig): string[] {
  const ids = projects.map(({ id }) => id);
  const secretNames = secrets.map(({ name }) => name);
  return [
    ...pipelines.flatMap((pipeline, index) => [
      ...(pipeline.projects ?? []).flatMap((id, at) =>
        known(`pipelines[${index}].projects[${at}]`, 'project', id, ids)
      ),
      ...pipeline.secrets.flatMap((name, at) =>
        known(`pipelines[${index}].secrets[${at}]`, 'secret', name, secretNames)
      ),
      ...pipeline.jobs.flatMap((job, which) =>
        (job.secrets ?? []).flatMap((name, at) =>
          known(`pipelines[${index}].jobs[${which}].secrets[${at}]`, 'secret', name, secretNames)
        )
      ),
    ]),
    ...git.credentials.flatMap(({ token, ssh_key: key },
      index) => [...(token === '' ? [] : known(`git.credentials[${index}].token`, 'secret', token, secretNames)),
      ...(key === '' ? [] : known(`git.credentials[${index}].ssh_key`, 'secret', key, secretNames)),
      ...when((token === '') === (key === ''), `git.credentials[${index}]: expected either token or ssh_key`)]
    ),
    ...ai.roles.flatMap((role, index) =>
      (role.projects ?? []).flatMap((id, at) => known(`ai.roles[${index}].projects[${at}]`, 'project', id, ids))
    ),
    ...tokens.flatMap((token, index) => [
      ...(token.projects ?? []).flatMap((id, at) => known(`tokens[${index}].projects[${at}]`, 'project', id, ids)),
      ...when(token.projects !== null && token.scopes.includes('admin'),
        `tokens[${index}].projects: a token with the scope admin may do everything; leave projects out, or the scope`),
    ]),
    ...(alerts.default_project === '' ? [] : known('alerts.default_project', 'project', alerts.default_project, ids)),
    ...alerts.routes.flatMap(({ project }, index) => known(`alerts.routes[${index}].project`, 'project', project, ids)),
  ];
}

function known(path: string, what: string, name: string, names: readonly string[]): string[] {
  return when(!names.includes(name), `${path}: there is no ${what} ${name}${didYouMean(name, names)}`);
}

/** The scheduler's pipeline and role need to exist only when a project uses them. */
function schedules({ projects, pipelines, ai, scheduler }: RunsConfig): string[] {
  const { release_pipeline: pipeline, content_role: role } = scheduler;
  return projects.flatMap(({ release_interval: interval, release, content, pipelines_from: from }, index) => [
    // The repository may define it.
    ...when(interval !== '' && from === 'server' && !pipelines.some(({ name }) => name === pipeline),
      `projects[${index}].release_interval: needs the pipeline ${pipeline} (scheduler.release_pipeline)`),
    ...when(interval === '' && dependsOnCommits(release), `projects[${index}].release_interval: required by release`),
    ...when(content.enabled && content.interval === '',
      `projects[${index}].content.interval: required when content is enabled`),
    ...when(content.enabled && !ai.roles.some(({ name }) => name === role),
      `projects[${index}].content.enabled: needs the AI role ${role} (scheduler.content_role)`),
  ]);
}

/** Names of the schedules that `release_interval` and `content` of a project create. */
const RESERVED = ['release', 'content'];

function cronSchedules({ schedules: all, projects, pipelines, ai }: RunsConfig): string[] {
  const ids = projects.map(({ id }) => id);
  return all.flatMap(({ name, project, kind, task, input, ref }, index) => {
    const path = `schedules[${index}]`;
    const first = all.findIndex((other) => other.project === project && other.name === name);
    const tasks = kind === 'pipeline' ? pipelines : kind === 'ai_text' ? ai.roles : undefined;
    const what = kind === 'pipeline' ? 'pipeline' : 'AI role';
    const own = tasks?.filter(({ projects: only }) => only === null || only.includes(project)).map((each) => each.name);
    const mayBeElsewhere = kind === 'pipeline' &&
      projects.find(({ id }) => id === project)?.pipelines_from === 'repository';
    return [...known(`${path}.project`, 'project', project, ids),
      ...when(first < index, `${path}.name: ${name} is already the name of schedules[${first}], of the same project`),
      ...when(RESERVED.includes(name),
        `${path}.name: release and content stand for release_interval and content of a project`),
      ...when(own !== undefined && !own.includes(task) && !(mayBeElsewhere && task !== ''),
        `${path}.task: the project ${project} has no ${what} ${task === '' ? '""' : task}${
          didYouMean(task, own ?? [])
        }`),
      ...when(kind === 'ai_text' && (typeof input !== 'string' || input.trim() === ''),
        `${path}.input: ai_text needs text that is not blank`),
      ...when(ref !== '' && !isGitRef(ref), `${path}.ref: expected a branch, a tag or a commit, got ${ref}`),
      ...when(ref !== '' && kind !== 'pipeline', `${path}.ref: is for pipelines`),
      ...when(ref !== '' && pipelines.some((each) => each.name === task && each.checkout === 'none'),
        `${path}.ref: the pipeline ${task} checks nothing out; set its checkout to shallow or full`)];
  });
}

function notified({ notifications, projects }: RunsConfig): string[] {
  const ids = projects.map(({ id }) => id);
  return [
    ...notifications.webhooks.flatMap((webhook, index) =>
      (webhook.projects ?? []).flatMap((id, at) =>
        known(`notifications.webhooks[${index}].projects[${at}]`, 'project', id, ids)
      )
    ),
    ...allowlistProblems(notifications.allowlist).map((problem) => `notifications.allowlist: ${problem}`),
  ];
}

/** A key that begins like those of runs for forks would save or restore what strangers have made. */
const meansForks = (key: string): boolean => key !== '' && ('fork/'.startsWith(key) || key.startsWith('fork/'));

function cacheKeyProblems(key: string): string[] {
  const parts = parseCacheKey(key);
  return typeof parts === 'string' ? [parts] : [];
}

/** After values of the matrix are inserted, they must be valid labels. */
function labelProblems({ runs_on: labels, matrix }: Pick<PipelineConfig, 'runs_on' | 'matrix'>,
  path: string): string[]
{
  const cells = matrixProblems(matrix).length > 0 ? [] : cellsOf(matrix);
  return labels.flatMap((label, at) => {
    if (!label.includes('{')) return [];
    if (cells.length === 0) return [`${path}.runs_on[${at}]: ${label} needs a matrix`];
    const broken = cells.map((values) => fillCell(label, values)).find((filled) => !LABEL_FORM.test(filled));
    return when(broken !== undefined,
      `${path}.runs_on[${at}]: expected a label such as os=linux for each cell of the matrix, got ${String(broken)}`);
  });
}

const LEASE_MARGIN = 5000;

function times({ queue }: RunsConfig): string[] {
  const { lease_ttl: lease, cancel_grace: grace, heartbeat, backoff } = queue;
  const least = grace + LEASE_MARGIN + 2 * heartbeat;
  return [
    ...when(lease < least,
      `queue.lease_ttl: expected at least ${formatDuration(least)} (cancel_grace + 5s + 2 heartbeats), got ${
        formatDuration(lease)
      }`),
    ...when(backoff.max < backoff.initial,
      `queue.backoff.max: expected at least backoff.initial, ${formatDuration(backoff.initial)}, got ${
        formatDuration(backoff.max)
      }`),
  ];
}

function service({ tls, ai, local, backup, artifacts, caches }: RunsConfig): string[] {
  const reserved = local.labels.findIndex((label) => /^(os|arch|ship)=/.test(label));
  return [
    ...when(backup.schedule !== '' && !isCron(backup.schedule),
      `backup.schedule: expected a cron expression of five fields such as "30 2 * * mon-fri", got "${backup.schedule}"`),
    ...when(backup.s3.url !== '' && !isBucketUrl(backup.s3.url),
      'backup.s3.url: expected an address with a bucket, such as https://s3.example.org/our-backups/runs, got ' +
        `"${backup.s3.url}"`),
    ...when(backup.s3.url !== '' && backup.schedule === '',
      'backup.schedule: required for copies of backups in backup.s3.url'),
    ...when((tls.cert === '') !== (tls.key === ''), 'tls: expected both cert and key, or neither'),
    ...bucketProblems('artifacts', artifacts),
    ...bucketProblems('caches', caches),
    ...when(reserved >= 0, `local.labels[${reserved}]: os, arch and ship are set by the service`),
    ...ai.roles.flatMap((role, index) =>
      when(role.system_prompt !== '' && role.system_prompt_file !== '',
        `ai.roles[${index}]: expected system_prompt or system_prompt_file, got both`)
    ),
  ];
}

function bucketProblems(section: string, { store, s3 }: Pick<RunsConfig['caches'], 'store' | 's3'>): string[] {
  if (store !== 's3') return [];
  return (['endpoint', 'bucket', 'access_key_env', 'secret_key_env'] as const).flatMap((name) =>
    when(s3[name] === '', `${section}.s3.${name}: required by ${section}.store s3`)
  );
}

function pipelineProblems(pipeline: PipelineConfig, index: number): string[] {
  const path = `pipelines[${index}]`;
  const { jobs, steps, matrix } = pipeline;
  const hasJobs = jobs.length > 0;
  return [
    ...pipeline.inputs.flatMap((input, at) =>
      declarationProblems(input).map((problem) => `${path}.inputs[${at}]${problem}`)
    ),
    ...when(hasJobs === (steps.length > 0), `${path}: expected either steps or jobs`),
    ...when(hasJobs && cellsOf(matrix).length > 0, `${path}.matrix: with jobs, each has a matrix of its own`),
    ...when(jobs.reduce((sum, { matrix: own }) => sum + Math.max(1, cellsOf(own).length), 0) > MAX_CELLS,
      `${path}.jobs: expected at most ${MAX_CELLS} runs of all jobs and their matrices together`),
    ...jobs.flatMap((job, at) => jobProblems(pipeline, job, path, at)),
    ...conditionProblems(pipeline, path),
    ...workProblems(pipeline, path),
    ...(hasJobs ? [] : serviceProblems(pipeline, path)),
  ];
}

/** `outer`: the path of the pipeline. */
function jobProblems(pipeline: PipelineConfig, job: JobConfig, outer: string, at: number): string[] {
  const path = `${outer}.jobs[${at}]`;
  const before = pipeline.jobs.slice(0, at).map(({ name }) => name);
  const whole = {
    ...job,
    sandbox: job.sandbox === 'inherit' ? pipeline.sandbox : job.sandbox,
    image: job.image || pipeline.image,
  };
  return [
    ...job.needs.flatMap((name, which) =>
      when(!before.includes(name),
        `${path}.needs[${which}]: expected the name of a job before it, got ${name}${didYouMean(name, before)}`)
    ),
    ...when(job.if === 'failure' && job.needs.length === 0,
      `${path}.if: failure is for jobs that need others: name them in needs`),
    ...workProblems(whole, path),
    ...serviceProblems(whole, path, { pipeline, path: outer }),
  ];
}

/** Of a pipeline, or of one of its jobs. */
function workProblems(work: Pick<PipelineConfig, 'matrix' | 'runs_on' | 'sandbox' | 'image' | 'steps'>,
  path: string): string[]
{
  return [
    ...matrixProblems(work.matrix).map((problem) => `${path}.matrix${problem}`),
    ...labelProblems(work, path),
    ...when(
      work.sandbox === 'container' && work.image === '' && work.steps.some(({ image, approval }) =>
        image === '' && !approval.required
      ),
      `${path}.image: required by the sandbox container`,
    ),
    ...duplicates(`${path}.steps`, 'name', work.steps.map(({ name }) => name)),
    ...work.steps.flatMap((step, at) => stepProblems(step, at, work.steps, `${path}.steps[${at}]`)),
    ...graphProblems(work.steps, `${path}.steps`),
  ];
}

function stepProblems(step: StepConfig, at: number, steps: readonly StepConfig[], path: string): string[] {
  return [
    ...(step.approval.required
      ? approvalProblems(step, at, steps).map((problem) => `${path}${problem}`)
      : when((step.run === '') === (step.exec.length === 0), `${path}: expected either run or exec`)),
    ...when(step.background && (step.approval.required || step.artifacts.length > 0 || step.cache.key !== ''),
      `${path}.background: such a step has no artifacts, cache or approval`),
    ...when((step.cache.key === '') !== (step.cache.paths.length === 0), `${path}.cache: expected both key and paths`),
    ...cacheKeyProblems(step.cache.key).map((problem) => `${path}.cache.key: ${problem}`),
    ...[step.cache.key, ...step.cache.restore_keys].filter(meansForks).map((key) =>
      `${path}.cache: the key "${key}" may be one of a fork's; those begin with fork/`
    ),
    ...when(step.exec[0] === '', `${path}.exec[0]: expected a program, got ""`),
  ];
}

/** An approval does nothing itself, and stands between steps that do. */
function approvalProblems(step: StepConfig, at: number, steps: readonly StepConfig[]): string[] {
  const isCommand = (other: StepConfig | undefined): boolean => other !== undefined && !other.approval.required;
  return [...when(step.run !== '' || step.exec.length > 0, ': expected either a command or an approval, got both'),
    ...when(step.always, '.always: an approval is not asked for after a failure'),
    ...when(step.artifacts.length > 0 || step.cache.key !== '', ': an approval has neither artifacts nor a cache'),
    ...when(!isCommand(steps[at - 1]) || !isCommand(steps[at + 1]),
      '.approval: expected a command before and after it; `approval` of the pipeline is for approvals before the ' +
        'first step')];
}
