import { didYouMean } from '../../lib/did-you-mean.ts';
import { expressionProblem } from '../conditions/index.ts';
import type { PipelineConfig, RunsConfig, StepConfig } from './schema/index.ts';

const when = (wrong: boolean, problem: string): string[] => (wrong ? [problem] : []);

/** Kinds whose servers are their owners'; the others have public ones. */
const OWN_SERVERS: ReadonlySet<string> = new Set(['gitea', 'forgejo', 'bitbucket_data_center']);

/** What a schema cannot express of forges, and of projects that name one. One line for each problem, with its path. */
export function forgeProblems(config: RunsConfig): string[] {
  const { forges, projects, secrets } = config;
  const secretNames = secrets.map(({ name }) => name);
  const forgeNames = forges.map(({ name }) => name);
  return [
    ...forges.flatMap(({ name, kind, url, token, webhook_secret: secret }, index) => [
      ...when(forgeNames.indexOf(name) < index,
        `forges[${index}].name: ${name} is already the name of forges[${forgeNames.indexOf(name)}]`),
      ...when(url === '' && OWN_SERVERS.has(kind), `forges[${index}].url: required for ${kind}`),
      ...when(token !== '' && kind === 'git', `forges[${index}].token: git has no API`),
      ...named(`forges[${index}].token`, 'secret', token, secretNames),
      ...named(`forges[${index}].webhook_secret`, 'secret', secret, secretNames),
    ]),
    ...projects.flatMap((_project, index) => statusProblems(projects, index)),
    ...projects.flatMap((_project, index) => issueProblems(config, index)),
    ...projects.flatMap(({ forge, repository_pipelines: { secrets: allowed }, pipelines_from: from, poll }, index) => [
      ...named(`projects[${index}].forge`, 'forge', forge, forgeNames),
      ...when(forge === '' && poll === '' && from === 'repository',
        `projects[${index}].pipelines_from: needs forge or poll, by which events of the repository arrive`),
      ...allowed.flatMap((name, at) =>
        named(`projects[${index}].repository_pipelines.secrets[${at}]`, 'secret', name, secretNames)
      ),
    ]),
  ];
}

/** Two projects with one repository would overwrite each other's statuses. */
function statusProblems(projects: RunsConfig['projects'], index: number): string[] {
  const { forge, repository, statuses: { of, context } } = projects[index]!;
  if (forge === '' || of === 'none' || context.includes('{project}')) return [];
  const first = projects.findIndex((other) =>
    other.forge === forge && other.repository === repository && other.statuses.of !== 'none' &&
    other.statuses.context === context
  );
  return when(first < index,
    `projects[${index}].statuses.context: ${projects[first]!.id} has the same repository and context; put {project} ` +
      'into it');
}

/** Kinds without labels, or without an API. */
const WITHOUT_LABELS: ReadonlySet<string> = new Set(['bitbucket', 'bitbucket_data_center', 'git']);

function issueProblems({ projects, pipelines, ai, forges }: RunsConfig, index: number): string[] {
  const { id, forge: name, issue_label: label, issue: { pipeline, role } } = projects[index]!;
  if (pipeline === '' && role === '') return [];
  const path = `projects[${index}].issue`;
  const forge = forges.find((each) => each.name === name);
  const own = (all: RunsConfig['pipelines'] | RunsConfig['ai']['roles']): string[] =>
    all.filter(({ projects: only }) => only === null || only.includes(id)).map((each) => each.name);
  return [...when(pipeline !== '' && role !== '', `${path}: expected pipeline or role, got both`),
    ...named(`${path}.pipeline`, 'pipeline', pipeline, own(pipelines)),
    ...named(`${path}.role`, 'AI role', role, own(ai.roles)),
    ...when(label === '', `projects[${index}].issue_label: required by issue`),
    ...when(forge === undefined, `projects[${index}].forge: required by issue`),
    ...when(forge !== undefined && WITHOUT_LABELS.has(forge.kind), `${path}: ${forge?.kind} has no labels`),
    ...when(forge !== undefined && forge.token === '', `${path}: needs the token of the forge ${name}`)];
}

function named(path: string, what: string, name: string, names: readonly string[]): string[] {
  return when(name !== '' && !names.includes(name), `${path}: there is no ${what} ${name}${didYouMean(name, names)}`);
}

/** What is wrong with the conditions of a pipeline; `path` is its own, such as `pipelines[0]`. */
export function conditionProblems(pipeline: PipelineConfig, path: string): string[] {
  return [
    ...expression(pipeline.when.expression, `${path}.when.expression`),
    ...pipeline.steps.flatMap((step, at) => stepConditions(step, `${path}.steps[${at}].when`)),
    ...pipeline.jobs.flatMap(({ steps }, which) =>
      steps.flatMap((step, at) => stepConditions(step, `${path}.jobs[${which}].steps[${at}].when`))
    ),
  ];
}

function stepConditions({ when: { expression: text, status, ...rest }, approval, always }: StepConfig,
  path: string): string[]
{
  return [
    ...expression(text, `${path}.expression`),
    ...when(always && !status.includes('success'),
      `${path}.status: the step is marked always, so it cannot run after failures only; keep one of the two`),
    ...when(approval.required && (isGiven(rest) || text !== '' || status.join() !== 'success'),
      `${path}: an approval has no conditions`),
  ];
}

const isGiven = (lists: Readonly<Record<string, readonly string[]>>): boolean =>
  Object.values(lists).some((each) => each.length > 0);

function expression(text: string, path: string): string[] {
  const problem = text === '' ? undefined : expressionProblem(text);
  return problem === undefined ? [] : [`${path}: ${problem}`];
}
