export type { Environment } from './api-tokens.ts';
export { readInputs, type InputValues } from './inputs.ts';
export { cellsOf, fillCell, nameOfCell, type CellValues } from './matrix.ts';
export { LiveRunsConfig, type LiveConfigOptions, type ReloadOutcome } from './live.ts';
export { hashOf, inDataDir, loadRunsConfig, type LoadedRunsConfig, type RunsConfigInput } from './load.ts';
export { missingSecrets, unsignedWebhooks, weakWebhooks } from './missing-secrets.ts';
export { parseProject, parseRunsConfig, RunsConfigError } from './parse.ts';
export { renderConfigReference } from './reference.ts';
export { RUNS_CONFIG_SCHEMA, type AlertRoute, type InputConfig, type MatrixConfig, type NotificationConfig, type PipelineConfig, type ProjectConfig, type RoleConfig, type RunsConfig, type Scalar, type ScheduleConfig, type StepConfig, type TokenConfig } from './schema/index.ts';
