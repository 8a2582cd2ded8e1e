import { Lru } from '../../lib/caches.ts';
import { didYouMean } from '../../lib/did-you-mean.ts';
import { compileSafeRegExp, type SafeRegExp } from '../../lib/safe-regexp.ts';
import type { AlertRoute, InputConfig, PipelineConfig, ProjectConfig, RunsConfig, Scalar } from './schema/index.ts';

/** Values of inputs by name. */
export type InputValues = Readonly<Record<string, Scalar>>;

/** Bytes of a text: it becomes an environment variable, and systems allow 128 KiB for one. */
const MAX_TEXT_BYTES = 32_768;

/** Characters of a value that an error message repeats. */
const SHOWN = 80;

/**
 * Checks the inputs of a run against the declarations of its pipeline. Returns values in the order of declaration, with
 * defaults filled in; optional inputs without a value are left out. `problem` names the input, and does not quote a
 * long text in full.
 */
export function readInputs(declared: readonly InputConfig[], given: unknown): { readonly values: InputValues } | {
  readonly problem: string;
} {
  const names = declared.map(({ name }) => name);
  if (typeof given === 'string')
    return { problem: `input must be an object with values for ${names.join(', ')}, got text` };
  const members = (given ?? {}) as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(members).find((name) => !names.includes(name));
  if (unknown !== undefined)
    return {
      problem: `input.${cut(unknown)} is not known; the pipeline has: ${names.join(', ')}${
        didYouMean(unknown.slice(0, SHOWN), names)
      }`,
    };
  const values: [string, Scalar][] = [];
  for (const input of declared) {
    const member = Object.hasOwn(members, input.name) ? members[input.name] : undefined;
    const chosen = member ?? input.default;
    if (chosen === null) {
      if (input.required)
        return {
          problem: `input.${input.name} is required${input.description === '' ? '' : `: ${cut(input.description)}`}`,
        };
      continue;
    }
    const read = readValue(input, chosen);
    if ('problem' in read) return { problem: `input.${input.name} ${read.problem}` };
    values.push([input.name, read.value]);
  }
  return { values: Object.fromEntries(values) };
}

type Read = { readonly value: Scalar } | { readonly problem: string };

/** Converts a text to the declared type, so that forms and command lines need not know types. */
function readValue(input: InputConfig, given: unknown): Read {
  switch (input.type) {
    case 'number':
      return readNumber(input, given);
    case 'boolean':
      return readBoolean(given);
    case 'choice':
      return typeof given === 'string' && input.choices.includes(given) ? { value: given } : {
        problem: `must be one of ${input.choices.join(', ')}, got ${shown(given)}${
          didYouMean(String(given).slice(0, SHOWN), input.choices)
        }`,
      };
    case 'date':
      return typeof given === 'string' && isDay(given)
        ? { value: given }
        : { problem: `must be a day such as 2027-01-31, got ${shown(given)}` };
    default:
      return readText(input, given);
  }
}

const NUMBER = /^-?\d{1,32}(\.\d{1,32})?([eE][+-]?\d{1,3})?$/;

function readNumber({ min, max }: InputConfig, given: unknown): Read {
  const value = typeof given === 'string' && NUMBER.test(given) ? Number(given) : given;
  if (typeof value !== 'number' || !Number.isFinite(value)) return { problem: `must be a number, got ${shown(given)}` };
  if (min !== null && value < min) return { problem: `must be at least ${min}, got ${value}` };
  if (max !== null && value > max) return { problem: `must be at most ${max}, got ${value}` };
  return { value };
}

function readBoolean(given: unknown): Read {
  if (given === true || given === 'true') return { value: true };
  return given === false || given === 'false'
    ? { value: false }
    : { problem: `must be true or false, got ${shown(given)}` };
}

function readText({ min, max, pattern }: InputConfig, given: unknown): Read {
  if (typeof given !== 'string') return { problem: `must be text, got ${shown(given)}` };
  if (given.includes('\0')) return { problem: 'must not hold the character U+0000' };
  if (Buffer.byteLength(given) > MAX_TEXT_BYTES)
    return { problem: `must have at most ${MAX_TEXT_BYTES} bytes, got ${Buffer.byteLength(given)}` };
  const length = [...given].length;
  if (min !== null && length < min) return { problem: `must have at least ${min} characters, got ${length}` };
  if (max !== null && length > max) return { problem: `must have at most ${max} characters, got ${length}` };
  return pattern === '' || patternOf(pattern).test(given)
    ? { value: given }
    : { problem: `must match ${pattern}, got ${shown(given)}` };
}

function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = Date.parse(text);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

const compiled = new Lru<string, SafeRegExp>(200);

/** A regular expression that must match the whole text, in time linear in its length. Throws a `SyntaxError`. */
function patternOf(source: string): SafeRegExp {
  const known = compiled.get(source) ?? compileSafeRegExp(`^(?:${source})$`);
  compiled.set(source, known);
  return known;
}

const cut = (text: string): string => (text.length <= SHOWN ? text : `${text.slice(0, SHOWN).toWellFormed()}…`);

const shown = (
  value: unknown,
): string => (typeof value === 'object' && value !== null
  ? (Array.isArray(value) ? 'a list' : 'an object')
  : cut(JSON.stringify(value)));

/** What is wrong with a declaration: one line for each problem, to be appended to the path of the input. */
export function declarationProblems(input: InputConfig): string[] {
  const { name, type, choices, pattern, min, max, default: fallback } = input;
  const isText = type === 'string';
  const broken = pattern === '' ? undefined : syntaxProblem(pattern);
  const problems = [
    ...(name === 'file'
      ? ['.name: file would be QUIRE_INPUT_FILE, the file with the whole input; take another one']
      : []),
    ...((type === 'choice') === choices.length > 0
      ? []
      : [`.choices: ${type === 'choice' ? 'required by the type choice' : `only for the type choice, got ${type}`}`]),
    ...(pattern === '' || isText ? [] : [`.pattern: only for the type string, got ${type}`]),
    ...(broken === undefined ? [] : [`.pattern: ${broken}`]),
    ...((min === null && max === null) || isText || type === 'number'
      ? []
      : [`.${min === null ? 'max' : 'min'}: only for the types string and number, got ${type}`]),
    ...(min === null || max === null || min <= max ? [] : [`.max: expected at least min, ${min}, got ${max}`]),
  ];
  const read = fallback === null || problems.length > 0 ? undefined : readValue(input, fallback);
  return read !== undefined && 'problem' in read ? [`.default: ${read.problem}`] : problems;
}

function syntaxProblem(pattern: string): string | undefined {
  try {
    patternOf(pattern);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

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
    ...projects.flatMap((project,
      index) => (project.release_interval === '' ? [] : releaseProblems(`projects[${index}]`, release, project))
    ),
    ...alerts.routes.flatMap((route, index) => routeProblems(`alerts.routes[${index}]`, route, pipelines)),
  ];
}

/** Whether the commits since the last release are the input of a release. */
export const dependsOnCommits = ({ only_if_changed: onlyIfChanged, tag }: ProjectConfig['release']): boolean =>
  onlyIfChanged || tag !== '';

function releaseProblems(path: string, pipeline: PipelineConfig | undefined, { release }: ProjectConfig): string[] {
  if (!dependsOnCommits(release)) return problemsOf(`${path}.release_interval`, pipeline, undefined);
  return pipeline !== undefined && pipeline.inputs.length > 0
    ? [
      `${path}.release: the commits since the last release are the input of the run, and the pipeline ${pipeline.name} ` +
      'declares inputs of its own',
    ]
    : [];
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
