import { hostname } from 'node:os';
import { ConfigError, deepFreeze } from '../../lib/setting-values.ts';
import { parseYaml } from '../../text/safe-yaml.ts';
import { checkTogether } from './checks.ts';
import { keepWrittenNumbers } from './env-numbers.ts';
import { readBySchema } from './read-by-schema.ts';
import { PROJECT_SCHEMA, type ProjectConfig, RUNS_CONFIG_SCHEMA, type RunsConfig } from './schema/index.ts';
import { schemaCheck } from './validate.ts';

/**
 * Thrown for a configuration that the run-queue service refuses; `problems` has one line for each thing that is wrong.
 */
export class RunsConfigError extends ConfigError {
  constructor(problems: readonly string[]) {
    super(problems);
    this.name = 'RunsConfigError';
  }
}

const checkConfig = schemaCheck(RUNS_CONFIG_SCHEMA);
const checkProject = schemaCheck(PROJECT_SCHEMA);

/**
 * Reads the text of a configuration: YAML, short forms, defaults, schema, cross-checks. An empty `node_id` or
 * `fleet.advertise` becomes the host name; a pipeline without `max_attempts` gets the queue's. Throws a
 * `RunsConfigError`.
 */
export function parseRunsConfig(text: string): RunsConfig {
  const parsed = parseYaml(text);
  if (!parsed.ok) throw new RunsConfigError([parsed.problem]);
  const value = parsed.value ?? {};
  keepWrittenNumbers(value, text);
  return parseRunsValue(value);
}

/** Like `parseRunsConfig` for the value of the text, which is changed. */
export function parseRunsValue(value: unknown): RunsConfig {
  const problems = [...expandShortForms(value), ...checkConfig(value)];
  if (problems.length > 0) throw new RunsConfigError(problems);
  const config = completed(readBySchema(RUNS_CONFIG_SCHEMA, value));
  const conflicts = checkTogether(config);
  if (conflicts.length > 0) throw new RunsConfigError(conflicts);
  return deepFreeze(config);
}

/**
 * Reads a project from a request, with the defaults of the configuration file (run-queue decisions, section 2.6).
 * `problems` is empty exactly when there is a project. The value itself is not changed.
 */
export function parseProject(value: unknown): { project?: ProjectConfig; problems: readonly string[] } {
  const copy = structuredClone(value);
  const problems = checkProject(copy);
  if (problems.length > 0) return { problems };
  const project = readBySchema(PROJECT_SCHEMA, copy);
  if (project.content.enabled && project.content.interval === '')
    return { problems: ['content.interval: required when content is enabled'] };
  return { project: deepFreeze(project), problems: [] };
}

function completed(config: RunsConfig): RunsConfig {
  const host = hostname();
  return {
    ...config,
    pipelines: config.pipelines.map((pipeline) => ({
      ...pipeline,
      max_attempts: pipeline.max_attempts || config.queue.max_attempts,
    })),
    node_id: config.node_id || host,
    fleet: { ...config.fleet, advertise: config.fleet.advertise || host },
  };
}

type Mapping = Record<string, unknown>;

/**
 * Replaces short forms by long ones in a parsed file (run-queue decisions, section 3): `storage.path`, `fleet.dir`, a
 * role's `base_url`, axes of a matrix beside its other keys, single texts in `when`, and a mapping of `services`.
 * Returns a problem for each short form that stands beside its long form, because the file is ambiguous then. Values
 * that are not mappings are left unchanged; the schema refuses them.
 */
function expandShortForms(root: unknown): string[] {
  if (!isMapping(root)) return [];
  const problems: string[] = [];
  const { storage, fleet, ai, pipelines } = root;
  if (isMapping(storage) && 'path' in storage && storage['driver'] !== 'postgres') {
    storage['sqlite'] ??= {};
    if (isMapping(storage['sqlite']))
      move(storage, 'path', storage['sqlite'], 'path', ['storage.path', 'storage.sqlite.path'], problems);
  }
  if (isMapping(fleet)) move(fleet, 'dir', fleet, 'ca_dir', ['fleet.dir', 'fleet.ca_dir'], problems);
  if (isMapping(ai) && Array.isArray(ai['roles'])) {
    ai['roles'].forEach((role: unknown, index) => {
      const path = `ai.roles[${index}]`;
      if (isMapping(role)) move(role, 'base_url', role, 'endpoint', [`${path}.base_url`, `${path}.endpoint`], problems);
    });
  }
  if (Array.isArray(pipelines)) {
    pipelines.forEach((pipeline: unknown, index) => {
      if (!isMapping(pipeline)) return;
      const path = `pipelines[${index}]`;
      expandWork(pipeline, path, problems);
      if (Array.isArray(pipeline['jobs']))
        pipeline['jobs'].forEach((job: unknown, at) => expandWork(job, `${path}.jobs[${at}]`, problems));
    });
  }
  return problems;
}

/** A condition may be a single text in the place of a list. */
function listTexts(conditions: Mapping): void {
  for (const [name, value] of Object.entries(conditions))
    if (typeof value === 'string' && name !== 'expression') conditions[name] = [value];
}

const MATRIX_KEYS: ReadonlySet<string> = new Set(['axes', 'include', 'exclude', 'max_parallel', 'fail_fast']);

/** Of a pipeline or a job, and of its steps. */
function expandWork(work: unknown, path: string, problems: string[]): void {
  if (!isMapping(work)) return;
  if (isMapping(work['matrix'])) moveAxes(work['matrix'], `${path}.matrix`, problems);
  if (isMapping(work['services'])) work['services'] = listServices(work['services'], `${path}.services`, problems);
  for (const each of [work, ...(Array.isArray(work['steps']) ? work['steps'] : [])])
    if (isMapping(each) && isMapping(each['when'])) listTexts(each['when']);
}

function listServices(services: Mapping, path: string, problems: string[]): unknown[] {
  return Object.entries(services).map(([name, service]) => {
    if (service !== null && !isMapping(service)) return service;
    if (service !== null && Object.hasOwn(service, 'name'))
      problems.push(`${path}.${name}.name: the key of the mapping is the name of the service; leave it out`);
    return { ...service, name };
  });
}

/** Values that are not lists are left alone: they may be misspelled keys. */
function moveAxes(matrix: Mapping, path: string, problems: string[]): void {
  for (const [name, values] of Object.entries(matrix)) {
    if (MATRIX_KEYS.has(name) || !Array.isArray(values)) continue;
    matrix['axes'] ??= {};
    if (isMapping(matrix['axes']))
      move(matrix, name, matrix['axes'], name, [`${path}.${name}`, `${path}.axes.${name}`], problems);
  }
}

function move(from: Mapping, short: string, to: Mapping, long: string, [shortPath, longPath]: readonly [string, string],
  problems: string[]): void
{
  if (!Object.hasOwn(from, short)) return;
  if (Object.hasOwn(to, long))
    problems.push(`${shortPath}: is short for ${longPath}, which is given too; keep one of them`);
  else to[long] = from[short];
  delete from[short];
}

function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
