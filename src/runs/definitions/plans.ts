import { create } from '@bufbuild/protobuf';
import { AiTextPlanSchema, type Assignment, DiagnosticPlanSchema, type HealthCheck, HealthCheckSchema,
  PipelinePlanSchema, type ReportFiles, ReportFilesSchema, RoleProbeSchema, type Service, ServiceSchema, type Step,
  StepCacheSchema, StepNeedsSchema, StepSchema } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { parseDuration } from '../../lib/duration.ts';
import { type CellValues, fillCell, type PipelineConfig, type RoleConfig, type ServiceConfig,
  type StepConfig } from '../config/index.ts';
import type { ApprovalStep } from './definition.ts';
import { cacheInSpace } from './fork-space.ts';

export type Plan = Assignment['plan'];

/** Milliseconds of a duration that the schema of the configuration has validated. */
export const milliseconds = (written: string): number => parseDuration(written)!;

export function diagnosticPlan(check: string, gitUrl: string, roles: readonly RoleConfig[]): Plan {
  const probes = roles.map(({ name, endpoint, api_key_env: apiKeyEnv }) =>
    create(RoleProbeSchema, { role: name, endpoint, apiKeyEnv })
  );
  return { case: 'diagnostic', value: create(DiagnosticPlanSchema, { check, gitUrl, roles: probes }) };
}

/** `cell`: values of the matrix, empty without one. `space`: the beginning of keys of caches (`forkSpace`). */
export function pipelinePlan(pipeline: PipelineConfig, gitUrl: string, cell: CellValues, space: string): Plan {
  const { name, checkout, submodules, lfs, sandbox, image, reports, steps, services, max_parallel_steps } = pipeline;
  return {
    case: 'pipeline',
    value: create(PipelinePlanSchema, {
      name,
      checkout,
      submodules,
      lfs,
      gitUrl,
      sandbox,
      image: fillCell(image, cell),
      steps: steps.filter(isCommand).map((step) => toStep(step, cell, space)),
      services: services.map((service) => toService(service, cell)),
      maxParallelSteps: max_parallel_steps,
      reports: toReports(reports),
    }),
  };
}

const isCommand = ({ approval }: StepConfig): boolean => !approval.required;

/** The approval steps of a pipeline. */
export function approvalSteps({ steps }: PipelineConfig): ApprovalStep[] {
  return steps.flatMap(({ name, approval }, at) => (approval.required
    ? [{
      name,
      before: steps.slice(0, at).filter(isCommand).length,
      timeoutMs: milliseconds(approval.timeout),
      message: approval.message,
    }]
    : [])
  );
}

function toStep(step: StepConfig, cell: CellValues, space: string): Step {
  const cache = cacheInSpace(step.cache, space);
  return create(StepSchema, {
    name: step.name,
    ...commandOf(step),
    workingDir: step.working_dir,
    env: { ...step.env },
    timeoutMs: BigInt(milliseconds(step.timeout)),
    continueOnError: step.continue_on_error,
    always: step.always || isForBoth(step),
    background: step.background,
    needs: step.needs === null ? undefined : create(StepNeedsSchema, { names: [...step.needs] }),
    image: fillCell(step.image, cell),
    runIf: isForFailures(step) ? 'failure' : '',
    artifacts: [...step.artifacts],
    reports: toReports(step.reports),
    cache: cache.key === '' ? undefined : create(StepCacheSchema, {
      key: cache.key,
      paths: [...cache.paths],
      restoreKeys: [...cache.restore_keys],
    }),
  });
}

function toService(service: ServiceConfig, cell: CellValues): Service {
  const { name, working_dir: workingDir, env, port, health, image } = service;
  return create(ServiceSchema, {
    name,
    ...commandOf(service),
    workingDir,
    env: { ...env },
    image: fillCell(image, cell),
    port,
    health: toCheck(health, port),
  });
}

/** A service with a port is ready when it accepts connections, unless something else is said. */
function toCheck({ run, exec, tcp, http, interval, timeout, retries }: ServiceConfig['health'], port: number):
  | HealthCheck
  | undefined
{
  const isGiven = run !== '' || exec.length > 0 || http !== '';
  if (!isGiven && !tcp && port === 0) return undefined;
  return create(HealthCheckSchema, {
    ...commandOf({ run, exec, shell: [] }),
    http,
    tcp: !isGiven,
    intervalMs: BigInt(milliseconds(interval)),
    timeoutMs: BigInt(milliseconds(timeout)),
    retries,
  });
}

/** A step for successes and failures runs always. */
export const isForBoth = ({ when }: StepConfig): boolean =>
  when.status.includes('success') && when.status.includes('failure');

const isForFailures = ({ when }: StepConfig): boolean => !when.status.includes('success');

function toReports(reports: StepConfig['reports']): ReportFiles[] {
  return Object.entries(reports).flatMap((
    [format, patterns],
  ) => (patterns.length === 0 ? [] : [create(ReportFilesSchema, { format, patterns: [...patterns] })]));
}

/** A shell receives the command line as one argument, so nothing in it needs quoting. */
function commandOf({ exec, shell, run }: Pick<StepConfig, 'exec' | 'shell' | 'run'>): Pick<Step, 'argv' | 'script'> {
  if (exec.length > 0) return { argv: [...exec], script: '' };
  return shell.length > 0 && run !== '' ? { argv: [...shell, run], script: '' } : { argv: [], script: run };
}

export function aiTextPlan(role: RoleConfig, systemPrompt: string): Plan {
  return {
    case: 'aiText',
    value: create(AiTextPlanSchema, {
      role: role.name,
      endpoint: role.endpoint,
      model: role.model,
      apiKeyEnv: role.api_key_env,
      systemPrompt,
      maxTokens: role.max_tokens,
      temperature: role.temperature,
      firstByteTimeoutMs: BigInt(role.first_byte_timeout),
    }),
  };
}
