import { didYouMean } from '../../lib/did-you-mean.ts';
import type { JobConfig, PipelineConfig, ServiceConfig, StepConfig } from './schema/index.ts';

const when = (wrong: boolean, problem: string): string[] => (wrong ? [problem] : []);

/**
 * What a schema cannot express of steps that wait for others: they name steps before them, between the same approvals,
 * and two that may run at once do not restore different caches into one place. One line for each problem; `path` is
 * that of the list.
 */
export function graphProblems(steps: readonly StepConfig[], path: string): string[] {
  return partsOf(steps).flatMap((
    part,
  ) => [...part.flatMap((at) => needProblems(steps, part, at, `${path}[${at}]`)), ...placeProblems(steps, part, path)]);
}

/** The places of the steps before, between and after approvals; an approval is a part of its own. */
function partsOf(steps: readonly StepConfig[]): number[][] {
  const parts: number[][] = [[]];
  for (const [at, { approval }] of steps.entries()) {
    if (approval.required) parts.push([at], []);
    else parts.at(-1)!.push(at);
  }
  return parts;
}

function needProblems(steps: readonly StepConfig[], part: readonly number[], at: number, path: string): string[] {
  const { needs, approval } = steps[at]!;
  if (approval.required) return when(needs !== null, `${path}.needs: an approval waits for all steps before it`);
  const known = part.filter((other) => other < at).map((other) => steps[other]!.name);
  const before = steps.slice(0, part[0]).map(({ name }) => name);
  return (needs ?? []).flatMap((name, which) => {
    if (known.includes(name)) return [];
    return before.includes(name)
      ? [`${path}.needs[${which}]: ${name} ends before the approval ${before.at(-1)}, for which this step waits anyway`]
      : [`${path}.needs[${which}]: expected the name of a step before it, got ${name}${didYouMean(name, known)}`];
  });
}

/** Two archives that are unpacked into one place would mix. */
function placeProblems(steps: readonly StepConfig[], part: readonly number[], path: string): string[] {
  const before = new Map<number, ReadonlySet<string>>();
  const problems: string[] = [];
  for (const [index, at] of part.entries()) {
    const ordered = new Set(
      (steps[at]!.needs ?? part.slice(0, index).slice(-1).map((other) => steps[other]!.name)).flatMap((
        name,
      ) => [name, ...(before.get(part.find((other) => steps[other]!.name === name) ?? -1) ?? [])]),
    );
    before.set(at, ordered);
    for (const other of part.slice(0, index)) {
      if (ordered.has(steps[other]!.name)) continue;
      const shared = sharedPlace(steps[other]!, steps[at]!);
      if (shared !== undefined)
        problems.push(
          `${path}[${at}].cache.paths: ${shared} is also in the cache of ${steps[other]!.name}, which may run at the ` +
            'same time: use the same key and paths, or let one need the other',
        );
    }
  }
  return problems;
}

function sharedPlace({ cache: one }: StepConfig, { cache: other }: StepConfig): string | undefined {
  if (one.key === other.key && one.paths.join('\0') === other.paths.join('\0')) return undefined;
  const others = one.paths.map(plain);
  return other.paths.find((path) =>
    others.some((each) => `${each}/`.startsWith(`${plain(path)}/`) || `${plain(path)}/`.startsWith(`${each}/`))
  );
}

const plain = (path: string): string => path.split('/').filter((part) => part !== '' && part !== '.').join('/');

/** A service and its place in the file. */
interface PlacedService {
  readonly service: ServiceConfig;
  readonly at: string;
}

const placed = (services: readonly ServiceConfig[], path: string): PlacedService[] =>
  services.map((service, index) => ({ service, at: `${path}.services[${index}]` }));

/** The services of a job: those of its pipeline, and its own, which may replace them by their names. */
export function servicesOf(pipeline: Pick<PipelineConfig, 'services'>,
  job: Pick<JobConfig, 'services'>): ServiceConfig[]
{
  const own = new Set(job.services.map(({ name }) => name));
  return [...pipeline.services.filter(({ name }) => !own.has(name)), ...job.services];
}

type Work = Pick<PipelineConfig, 'services' | 'steps' | 'sandbox' | 'image'>;

/**
 * What is wrong with the images and services of a pipeline or job, whose `sandbox` and `image` count. `outer`: the
 * pipeline of the job, with its path.
 */
export function serviceProblems(work: Work, path: string,
  outer?: { readonly pipeline: Work; readonly path: string }): string[]
{
  const names = work.steps.map(({ name }) => name);
  const inherited = outer === undefined
    ? []
    : placed(outer.pipeline.services, outer.path).filter(({ service }) =>
      servicesOf(outer.pipeline, work).includes(service)
    );
  const all = [...inherited, ...placed(work.services, path)];
  return [
    ...work.steps.flatMap(({ image, approval },
      at) => [...imageProblem(work, image, `${path}.steps[${at}]`),
      ...when(approval.required && image !== '', `${path}.steps[${at}].image: an approval has none`)]
    ),
    ...all.flatMap(({ service, at }, index) => {
      const first = all.findIndex((other) => other.service.name === service.name);
      return [
        ...when(first < index, `${at}.name: ${service.name} is already the name of ${all[first]!.at}`),
        ...when(names.includes(service.name),
          `${at}.name: ${service.name} is already the name of ${path}.steps[${names.indexOf(service.name)}]`),
        ...ownProblems(work, service, at),
      ];
    }),
  ];
}

const mayHaveImage = ({ sandbox }: Work): boolean => sandbox === 'container' || sandbox === 'inherit';

const imageProblem = (work: Work, image: string, at: string): string[] =>
  when(image !== '' && !mayHaveImage(work),
    `${at}.image: is for the sandbox container, and this one is ${work.sandbox}`);

function ownProblems(work: Work, { image, run, exec, health }: ServiceConfig, at: string): string[] {
  const checks = [health.run !== '', health.exec.length > 0, health.tcp, health.http !== ''].filter(Boolean).length;
  const isCommand = run !== '' || exec.length > 0;
  return [
    ...imageProblem(work, image, at),
    ...when(run !== '' && exec.length > 0, `${at}: expected run or exec, got both`),
    ...when(!isCommand && image === '', `${at}: expected run or exec${mayHaveImage(work) ? ', or an image' : ''}`),
    ...when(work.sandbox === 'container' && isCommand && image === '' && work.image === '',
      `${at}.image: required by the sandbox container`),
    ...when(exec[0] === '', `${at}.exec[0]: expected a program, got ""`),
    ...when(health.exec[0] === '', `${at}.health.exec[0]: expected a program, got ""`),
    ...when(checks > 1, `${at}.health: expected one of run, exec, tcp and http, got ${checks}`),
  ];
}
