import { hostname } from 'node:os';
import { ConfigError, deepFreeze } from '../../lib/setting-values.ts';
import { parseYaml } from '../../text/safe-yaml.ts';
import { checkTogether } from './checks.ts';
import { readBySchema } from './read-by-schema.ts';
import { PROJECT_SCHEMA, type ProjectConfig, RUNS_CONFIG_SCHEMA, type RunsConfig } from './schema/index.ts';
import { expandShortForms } from './short-forms.ts';
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
