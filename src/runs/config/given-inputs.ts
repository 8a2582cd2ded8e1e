import { didYouMean } from '../../lib/did-you-mean.ts';
import { readInputs, readValue } from './inputs.ts';
import type { AlertRoute, PipelineConfig, RunsConfig } from './schema/index.ts';

/**
 * Checks that the inputs which schedules and alerts of the configuration pass fit the declarations of their pipelines.
 * One line for each problem.
 */
export function checkGiven({ schedules, pipelines, projects, scheduler, alerts }: RunsConfig): string[] {
  const pipelineOf = (name: string): PipelineConfig | undefined => pipelines.find((pipeline) => pipeline.name === name);
  const release = pipelineOf(scheduler.release_pipeline);
  return [
    ...schedules.flatMap(({ kind, task, input },
      index) => (kind === 'pipeline'
        ? problemsOf(`schedules[${index}]`, pipelineOf(task), input === '' ? undefined : input)
        : [])
    ),
    ...projects.flatMap(({ release_interval: interval },
      index) => (interval === '' ? [] : problemsOf(`projects[${index}].release_interval`, release, undefined))
    ),
    ...alerts.routes.flatMap((route, index) => routeProblems(`alerts.routes[${index}]`, route, pipelines)),
  ];
}

function problemsOf(path: string, pipeline: PipelineConfig | undefined, given: unknown): string[] {
  if (pipeline === undefined || pipeline.inputs.length === 0) return [];
  const read = readInputs(pipeline.inputs, given);
  return 'problem' in read ? [`${path}: ${read.problem}`] : [];
}

/** Values that contain labels are known only when an alert arrives. */
function routeProblems(path: string, { project, pipeline: name, input }: AlertRoute,
  pipelines: readonly PipelineConfig[]): string[]
{
  const given = Object.entries(input);
  if (name === '') return given.length === 0 ? [] : [`${path}.input: needs a pipeline`];
  const own = pipelines.filter(({ projects: only }) => only === null || only.includes(project));
  const pipeline = own.find((each) => each.name === name);
  if (pipeline === undefined)
    return [
      `${path}.pipeline: the project ${project} has no pipeline ${name}${
        didYouMean(name, own.map((each) => each.name))
      }`,
    ];
  const { inputs } = pipeline;
  if (inputs.length === 0) return [];
  const missing = inputs.filter((each) => each.required && each.default === null && !Object.hasOwn(input, each.name))
    .map((each) => `${path}.input.${each.name}: required`);
  return [...missing, ...given.flatMap(([key, value]) => {
    const declared = inputs.find((each) => each.name === key);
    if (declared === undefined)
      return [
        `${path}.input.${key}: the pipeline ${name} has no such input${
          didYouMean(key, inputs.map((each) => each.name))
        }`,
      ];
    const read = typeof value === 'string' && value.includes('{labels.') ? undefined : readValue(declared, value);
    return read !== undefined && 'problem' in read ? [`${path}.input.${key}: ${read.problem}`] : [];
  })];
}
