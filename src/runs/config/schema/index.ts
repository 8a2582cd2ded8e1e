import type { FromSchema } from '../read-by-schema.ts';
import { execution, pipeline } from './execution.ts';
import { forges } from './forges.ts';
import { people } from './people.ts';
import { notifications, project, projects, schedules } from './projects.ts';
import { queue } from './queue.ts';
import { secrets } from './secrets.ts';
import { fleet, service, tokens } from './service.ts';

/**
 * The JSON Schema (2020-12) of the run-queue configuration (run-queue decisions, section 3). It is the only source of
 * validation, defaults and the type `RunsConfig`.
 */
export const RUNS_CONFIG_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Quire run-queue configuration',
  type: 'object',
  additionalProperties: false,
  // Parts that are repeated: `x-` keys hold what YAML anchors name, and are otherwise ignored.
  patternProperties: { '^x-': true },
  properties: {
    ...service,
    ...tokens,
    ...people,
    ...queue,
    ...secrets,
    ...execution,
    ...forges,
    ...projects,
    ...schedules,
    ...notifications,
    ...fleet,
  },
} as const;

export const PROJECT_SCHEMA = project;
export const PIPELINE_SCHEMA = pipeline;

/** The configuration as the service uses it: complete, with durations in milliseconds and sizes in bytes. */
export type RunsConfig = FromSchema<typeof RUNS_CONFIG_SCHEMA>;

/** A project; `release_interval` and `content.interval` keep the original text, which listings show. */
export type ProjectConfig = FromSchema<typeof PROJECT_SCHEMA>;
export type PipelineConfig = RunsConfig['pipelines'][number];
export type InputConfig = PipelineConfig['inputs'][number];
export type JobConfig = PipelineConfig['jobs'][number];
export type MatrixConfig = PipelineConfig['matrix'];
/** A value of an input or of a matrix. */
export type Scalar = string | number | boolean;
export type AlertRoute = RunsConfig['alerts']['routes'][number];
export type ServiceConfig = PipelineConfig['services'][number];
export type StepConfig = PipelineConfig['steps'][number];
export type TokenConfig = RunsConfig['tokens'][number];
export type SecretConfig = RunsConfig['secrets'][number];
export type SecretSources = RunsConfig['secret_sources'];
export type OidcConfig = RunsConfig['oidc'];
export type ScheduleConfig = RunsConfig['schedules'][number];
export type NotificationConfig = RunsConfig['notifications']['webhooks'][number];
export type ForgeConfig = RunsConfig['forges'][number];
export type RoleConfig = RunsConfig['ai']['roles'][number];
