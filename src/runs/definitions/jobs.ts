import { cellsOf, type JobConfig, nameOfCell, type PipelineConfig, servicesOf } from '../config/index.ts';
import type { CellName, JobRule } from './definition.ts';

/** A job of a pipeline, written as the pipeline that it would be alone. */
export interface PipelineJob {
  readonly rule: JobRule;
  readonly pipeline: PipelineConfig;
  readonly cells: readonly CellName[];
  /** The jobs that it needs, also those that are not run again. */
  readonly artifactsFrom: readonly string[];
}

/**
 * The jobs of a pipeline, in their order. One with a matrix and steps is a single job without a name; one with nothing
 * but steps has none, and its run is executed itself.
 */
export function jobsOf(pipeline: PipelineConfig): PipelineJob[] {
  if (pipeline.jobs.length > 0) return pipeline.jobs.map((job) => jobOf(pipeline, job));
  const cells = cellsOf(pipeline.matrix);
  if (cells.length === 0) return [];
  const { max_parallel: maxParallel, fail_fast: failFast } = pipeline.matrix;
  const rule: JobRule = { name: '', needs: [], runIf: 'success', continueOnError: false, maxParallel, failFast };
  return [{ rule, pipeline, cells: cells.map((values) => ({ job: '', values })), artifactsFrom: [] }];
}

function jobOf(pipeline: PipelineConfig, job: JobConfig): PipelineJob {
  const { name, needs, if: runIf, continue_on_error: continueOnError, matrix } = job;
  const cells = cellsOf(matrix);
  return {
    rule: {
      name,
      needs,
      runIf,
      continueOnError,
      maxParallel: matrix.max_parallel,
      failFast: matrix.fail_fast,
    },
    pipeline: {
      ...pipeline,
      jobs: [],
      steps: job.steps,
      matrix,
      runs_on: [...pipeline.runs_on, ...job.runs_on],
      image: job.image || pipeline.image,
      sandbox: job.sandbox === 'inherit' ? pipeline.sandbox : job.sandbox,
      checkout: job.checkout === 'inherit' ? pipeline.checkout : job.checkout,
      timeout: job.timeout || pipeline.timeout,
      max_attempts: job.max_attempts || pipeline.max_attempts,
      env: { ...pipeline.env, ...job.env },
      secrets: job.secrets ?? pipeline.secrets,
      services: servicesOf(pipeline, job),
      max_parallel_steps: job.max_parallel_steps || pipeline.max_parallel_steps,
    },
    cells: (cells.length === 0 ? [{}] : cells).map((values) => ({ job: name, values })),
    artifactsFrom: needs,
  };
}

/** The jobs with only these cells; jobs that have none of them are left out, and nothing needs them. */
export function onlyCells(jobs: readonly PipelineJob[], only: readonly CellName[]): PipelineJob[] {
  const wanted = new Set(only.map(keyOf));
  const left = jobs.map((job) => ({ ...job, cells: job.cells.filter((cell) => wanted.has(keyOf(cell))) })).filter((
    { cells },
  ) => cells.length > 0);
  const names = new Set(left.map(({ rule: { name } }) => name));
  return left.map((job) => ({
    ...job,
    rule: { ...job.rule, needs: job.rule.needs.filter((name) => names.has(name)) },
  }));
}

const keyOf = ({ job, values }: CellName): string => `${job} ${nameOfCell(values)}`;
