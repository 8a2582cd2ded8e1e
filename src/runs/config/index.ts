export { servicesOf } from './graph-checks.ts';
export { dependsOnCommits, type InputValues, readInputs } from './inputs.ts';
export { type LiveConfigOptions, LiveRunsConfig, type ReloadOutcome } from './live.ts';
export { hashOf, inDataDir, type LoadedRunsConfig, loadRunsConfig, type RunsConfigInput } from './load.ts';
export { cellsOf, type CellValues, fillCell, nameOfCell } from './matrix.ts';
export { parseProject, parseRunsConfig, RunsConfigError } from './parse.ts';
export { type SecretKind, secretKinds } from './people-checks.ts';
export { renderConfigReference } from './reference.ts';
export { readRepositoryPipelines, type RepositoryPipelines } from './repository-pipelines.ts';
export { type AlertRoute, type ForgeConfig, type InputConfig, type JobConfig, type MatrixConfig,
  type NotificationConfig, type OidcConfig, type PipelineConfig, type ProjectConfig, type RoleConfig,
  RUNS_CONFIG_SCHEMA, type RunsConfig, type Scalar, type ScheduleConfig, type SecretConfig, type SecretSources,
  type ServiceConfig, type StepConfig, type TokenConfig } from './schema/index.ts';
export { secretFiles } from './secret-files.ts';
export { type Environment, missingSecrets, openSecrets, unsignedWebhooks, weakWebhooks } from './variables.ts';
