import { isMap, isNode, LineCounter, parseDocument } from 'yaml';
import { deepFreeze } from '../../lib/setting-values.ts';
import { parseYaml } from '../../text/safe-yaml.ts';
import { keepWrittenNumbers } from './env-numbers.ts';
import { parseRunsValue, RunsConfigError } from './parse.ts';
import type { PipelineConfig, ProjectConfig, RunsConfig } from './schema/index.ts';

/** What a file of a repository defines. `problems` is empty exactly if all of it is valid. */
export interface RepositoryPipelines {
  readonly pipelines: readonly PipelineConfig[];
  readonly problems: readonly string[];
}

const EXTENSION = /\.ya?ml$/;
/** Events that start a pipeline of a repository that names none. */
const EVENTS = ['push', 'pull_request'] as const;

/**
 * Reads a file such as `.quire/test.yaml`: one pipeline, whose name is by default that of the file, or several under
 * `pipelines`. They have the form of the configuration, but neither `projects` nor the sandbox `none`, no other secrets
 * and audiences of tokens than those that the project allows, and a checkout unless they say otherwise. Problems name
 * the file and the line.
 */
export function readRepositoryPipelines(file: string, text: string, project: ProjectConfig,
  config: RunsConfig): RepositoryPipelines
{
  const refuse = (problems: readonly string[]): RepositoryPipelines => ({ pipelines: [], problems });
  const parsed = parseYaml(text, { merge: false });
  if (!parsed.ok) return refuse([`${file}: ${parsed.problem}`]);
  const { value } = parsed;
  if (!isMapping(value)) return refuse([`${file}: expected a pipeline, or a list of them under pipelines`]);
  keepWrittenNumbers(value, text);
  const isList = Object.hasOwn(value, 'pipelines');
  const others = isList ? Object.keys(value).filter((key) => key !== 'pipelines' && !key.startsWith('x-')) : [];
  if (others.length > 0) return refuse([`${file}: unknown key ${others[0]}; beside pipelines there is nothing else`]);
  const listed = isList ? value['pipelines'] : [{ name: nameOf(file), ...value }];
  const place = (problem: string): string => placed(file, text, problem, isList);
  const denied = deniedKeys(listed, project);
  if (denied.length > 0) return refuse(denied.map(place));
  try {
    const { pipelines } = parseRunsValue({
      // Only their names count here.
      secrets: config.secrets.map(({ name }) => ({ name, env: name })),
      id_tokens: { issuer: config.id_tokens.issuer },
      queue: { max_attempts: config.queue.max_attempts },
      pipelines: Array.isArray(listed) ? listed.map(withDefaults) : listed,
    });
    return { pipelines: deepFreeze(pipelines), problems: [] };
  } catch (error) {
    if (!(error instanceof RunsConfigError)) throw error;
    return refuse(error.problems.map(place));
  }
}

const nameOf = (file: string): string => file.slice(file.lastIndexOf('/') + 1).replace(EXTENSION, '');

type Mapping = Readonly<Record<string, unknown>>;

const isMapping = (value: unknown): value is Mapping =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function withDefaults(pipeline: unknown): unknown {
  if (!isMapping(pipeline)) return pipeline;
  const when = pipeline['when'] ?? {};
  return {
    checkout: 'shallow',
    ...pipeline,
    when: isMapping(when) ? { event: [...EVENTS], ...when } : when,
  };
}

/** What only the configuration of the server may say. */
function deniedKeys(listed: unknown, project: ProjectConfig): string[] {
  return entriesOf(listed).flatMap(([pipeline, index]) => {
    const path = `pipelines[${index}]`;
    const jobs = entriesOf(pipeline['jobs']).map(([job, at]) => [job, `${path}.jobs[${at}]`] as const);
    return [
      ...(Object.hasOwn(pipeline, 'projects') ? [`${path}.projects: a repository is for one project`] : []),
      ...deniedAudiences(pipeline, path, project),
      ...[[pipeline, path] as const, ...jobs].flatMap(([work, at]) => deniedWork(work, at, project)),
    ];
  });
}

/** Of a pipeline, or of one of its jobs. */
function deniedWork(work: Mapping, path: string, { id, repository_pipelines: { secrets } }: ProjectConfig): string[] {
  const named = Array.isArray(work['secrets']) ? work['secrets'] as unknown[] : [];
  return [
    ...(work['sandbox'] === 'none' ? [`${path}.sandbox: pipelines of repositories may not run without a sandbox`] : []),
    ...named.flatMap((name, at) =>
      typeof name === 'string' && !secrets.includes(name)
        ? [
          `${path}.secrets[${at}]: the project ${id} does not allow ${name.slice(0, 80)} ` +
          '(repository_pipelines.secrets)',
        ]
        : []
    ),
  ];
}

/** Tokens with which steps sign in elsewhere. */
function deniedAudiences(pipeline: Mapping, path: string,
  { id, repository_pipelines: { audiences } }: ProjectConfig): string[]
{
  const tokens = isMapping(pipeline['id_token']) ? Object.entries(pipeline['id_token']) : [];
  return tokens.flatMap(([name, token]) => {
    const audience = isMapping(token) ? token['audience'] : undefined;
    return typeof audience === 'string' && !audiences.includes(audience)
      ? [
        `${path}.id_token.${name.slice(0, 80)}: the project ${id} does not allow the audience ` +
        `${audience.slice(0, 80)} (repository_pipelines.audiences)`,
      ]
      : [];
  });
}

/** The mappings of a list with their places. */
function entriesOf(list: unknown): [Mapping, number][] {
  return Array.isArray(list) ? list.flatMap((each: unknown, at) => (isMapping(each) ? [[each, at]] : [])) : [];
}

/** A problem with its file and line in the place of its path's beginning. */
function placed(file: string, text: string, problem: string, isList: boolean): string {
  const [, path = '', rest = problem] = /^(pipelines[^:\s]*): (.*)$/s.exec(problem) ?? [];
  const own = isList ? path : path.replace(/^pipelines\[0\]\.?/, '');
  const line = lineOf(text, [...own.matchAll(/[^.[\]]+/g)].map(([part]) => (/^\d+$/.test(part) ? Number(part) : part)));
  return `${file}, line ${line}: ${own === '' ? '' : `${own}: `}${rest}`;
}

/** The line of the value at a path, or of the nearest one around it. */
function lineOf(text: string, path: readonly (string | number)[]): number {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, logLevel: 'silent' });
  for (let length = path.length; length >= 0; length--) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    if (!isNode(node) || !node.range) continue;
    // A mapping begins with its first key.
    const start = isMap(node) && node.items[0] && isNode(node.items[0].key) ? node.items[0].key.range : node.range;
    return lines.linePos(start?.[0] ?? 0).line;
  }
  return 1;
}
