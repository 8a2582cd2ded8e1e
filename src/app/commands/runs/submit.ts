import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { enqueueRun, listPipelines } from '../../../../generated/runs/sdk/sdk.gen.ts';
import type { EnqueueRunRequest, PipelineInput, RunKind } from '../../../../generated/runs/sdk/types.gen.ts';
import { didYouMean } from '../../../lib/did-you-mean.ts';
import { CommandError, runCommand } from '../shared/command-error.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { addKeyOption, addRunsClientOptions, newKey, openRunsClient, type RunsClient,
  type RunsClientOptions } from './client.ts';
import { showQueued } from './show-log.ts';

interface Options extends RunsClientOptions {
  readonly input?: string;
  readonly inputFile?: string;
  readonly inputJson?: string;
  readonly set?: readonly string[];
  readonly help?: boolean;
  readonly ref?: string;
  readonly priority?: number;
  readonly key?: string;
  readonly follow?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  $ quire runs submit demo pipeline hello --follow
  $ quire runs submit demo pipeline deploy --set target=staging --set dry_run=true
  $ quire runs submit demo pipeline deploy --help
  $ quire runs submit demo pipeline build --input-json '{"version": "1.2"}' --priority 10
  $ quire runs submit demo pipeline build --ref v1.2.0
  $ quire runs submit demo ai_text writer --input-file notes.md
  $ quire runs submit demo diagnostic

With --follow the status is 0 when the run succeeded, 1 when it failed, 2 when it was cancelled.
`;

export function registerSubmit(runs: Command, io: Io): void {
  const command = runs.command('submit').description('queue a run and print its id').usage(
    '<project> <kind> [task] [options]',
  ).argument('[project]', 'id of the project').addArgument(
    new Argument('[kind]', 'what to do').choices(['diagnostic', 'pipeline', 'ai_text']),
  ).argument('[task]', 'name of the pipeline, AI role, or of one check').option('--input <text>',
    'input of the pipeline, or the prompt').option('--input-file <file>', 'the same from a file, - for standard input')
    .option('--input-json <json>', 'the same as a JSON object').option('--set <name=value...>',
      'values of inputs that the pipeline declares').option('--ref <ref>',
      'branch, tag or commit to be checked out; without it the default branch').option('--priority <n>',
      'from -100 to 100, higher first; without it that of the project', priorityOf).option('-f, --follow',
      'print the log until the run has ended').option('--json', 'write the run as JSON').helpOption(false).addOption(
      new Option('-h, --help', 'show this, and the inputs of the pipeline that is named'),
    );
  addRunsClientOptions(addKeyOption(command)).addHelpText('after', EXAMPLES).action(
    async (project: string | undefined, kind: RunKind | undefined, task: string | undefined, options: Options) => {
      await runCommand('runs submit', io, async () => {
        if (options.help) return showHelp(command, kind === 'pipeline' ? task : undefined, options, io);
        if (project === undefined || kind === undefined)
          throw new CommandError(
            `missing the ${
              project === undefined ? 'project' : 'kind'
            }: quire runs submit <project> <diagnostic|pipeline|ai_text> [task]`,
          );
        return submit(project, kind, task, options, io);
      });
    },
  );
}

/** The inputs come from the service; if it cannot be reached, the rest is still shown. */
async function showHelp(command: Command, pipeline: string | undefined, options: Options, io: Io): Promise<void> {
  io.stdout.write(command.helpInformation());
  writeLines(io.stdout, [EXAMPLES.trimEnd(),
    ...(pipeline === undefined ? [] : ['', ...await inputHelp(openRunsClient(options), pipeline)])]);
}

async function submit(project: string, kind: RunKind, task: string | undefined, options: Options,
  io: Io): Promise<void>
{
  const client = openRunsClient(options);
  const input = await inputOf(options, io);
  const body: EnqueueRunRequest = {
    project_id: project,
    kind,
    task,
    input,
    ref: options.ref,
    priority: options.priority,
  };
  const headers = { 'Idempotency-Key': options.key ?? newKey() };
  const { data: run } = await client.ask(() => enqueueRun({ client: client.sdk, body, headers }));
  await showQueued(client, run, options, io);
}

function priorityOf(text: string): number {
  const value = Number(text);
  if (!/^-?\d+$/.test(text) || Math.abs(value) > 100)
    throw new InvalidArgumentError('Expected a whole number from -100 to 100.');
  return value;
}

async function inputOf({ input, inputFile, inputJson, set }: Options,
  { stdin }: Io): Promise<EnqueueRunRequest['input']>
{
  if ([input, inputFile, inputJson, set].filter((given) => given !== undefined).length > 1)
    throw new CommandError('give one of --input, --input-file, --input-json and --set');
  if (set !== undefined) return Object.fromEntries(set.map(readSetting));
  if (inputFile !== undefined) return inputFile === '-' ? text(stdin) : readInput(inputFile);
  return inputJson === undefined ? input : parseObject(inputJson);
}

/** The service knows the types and converts the text. */
function readSetting(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new CommandError(`--set ${text}: expected name=value`);
  return [text.slice(0, at), text.slice(at + 1)];
}

async function readInput(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CommandError(`--input-file ${file}: ${(error as Error).message}`);
  }
}

function parseObject(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Reported below.
  }
  throw new CommandError('--input-json: expected a JSON object');
}

/**
 * Describes the inputs of a pipeline, one on each line.
 * @throws {CommandError} if there is no such pipeline.
 */
async function inputHelp(client: RunsClient, name: string): Promise<string[]> {
  const { data } = await client.ask(() => listPipelines({ client: client.sdk }));
  const pipeline = data.find((each) => each.name === name);
  if (pipeline === undefined)
    throw new CommandError(`no pipeline ${name}${didYouMean(name, data.map((each) => each.name))}`);
  const title = `Pipeline ${name}${pipeline.description === '' ? '' : `: ${pipeline.description}`}`;
  const cells = pipeline.matrix === null
    ? []
    : [`  runs ${pipeline.matrix.length} cells: ${
      pipeline.matrix.slice(0, 4).map((cell) =>
        Object.entries(cell).map(([key, value]) => `${key}=${String(value)}`).join(' ')
      ).join(', ')
    }${pipeline.matrix.length > 4 ? ', ...' : ''}`];
  const jobs = pipeline.jobs.map(({ name: job, needs }) =>
    `  job ${job}${needs.length === 0 ? '' : ` after ${needs.join(', ')}`}`
  );
  if (pipeline.inputs.length === 0) return [title, ...jobs, ...cells, '  takes any input'];
  const width = Math.max(...pipeline.inputs.map((input) => input.name.length));
  return [title, ...jobs, ...cells,
    ...pipeline.inputs.map((input) => `  --set ${input.name.padEnd(width)}  ${describe(input)}`)];
}

function describe(
  { type, description, required, default: fallback, choices, pattern, min, max }: PipelineInput,
): string {
  const facts = [type === 'choice' ? choices.join(' | ') : type, ...(pattern === null ? [] : [`matches ${pattern}`]),
    ...(min === null ? [] : [`at least ${min}`]), ...(max === null ? [] : [`at most ${max}`]),
    ...(required ? ['required'] : []), ...(fallback === null ? [] : [`default ${String(fallback)}`])];
  return `${description === '' ? '' : `${description} `}(${facts.join(', ')})`;
}
