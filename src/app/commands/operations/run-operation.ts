import type { Command } from 'commander';
import { parse } from 'yaml';
import { wholeNumber } from '../shared/arguments.ts';
import { runCommand, UsageError } from '../shared/command-error.ts';
import { addClientOptions, type ClientOptions } from '../shared/connection.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { addOutputOptions, describeObject, formatCount, itemsTable, type ListColumn, note, type OutputOptions, plural,
  widthOf, writeJson } from '../shared/output.ts';
import { askSecret, canAsk, confirm } from '../shared/prompt.ts';
import { type Input, openService, type Service } from '../shared/service.ts';
import { type CatalogueEntry, catalogueEntry, type CommandGroup, type OperationCommand } from './catalogue.ts';
import { addFieldOption, attributeOf, type Field, flagNameOf } from './fields.ts';
import { bytesOf, valueOf } from './parse-value.ts';

export interface OperationOptions extends ClientOptions, OutputOptions {
  readonly body?: string;
  readonly limit?: number;
  readonly all?: boolean;
  readonly yes?: boolean;
}

/** Reads the input of an operation from the command line, calls it, and shows the result. */
export async function runOperation(definition: OperationCommand, entry: CatalogueEntry,
  positions: ReadonlyArray<string | readonly string[] | undefined>, options: OperationOptions, io: Io): Promise<void>
{
  const given = await givenInput(definition, entry, positions, options, io);
  const input = { ...given, ...await secretOf(definition, given, io) };
  checkComplete(entry.fields, input);
  if (definition.asks !== undefined && !await confirm(io, definition.asks(input), options))
    return note(io, options, ['nothing was changed']);
  const service = openService(options);
  if (definition.columns !== undefined)
    return listItems(service, definition, definition.columns, {
      input,
      hasLimit: entry.fields.some(({ name }) => name === 'limit'),
    }, options, io);
  const answer = await waiting(io, options, service.call(definition.operation, input)) as Input;
  if (options.json === true) return writeJson(io, answer);
  if (definition.prints !== undefined) writeLines(io.stdout, [definition.prints(answer)]);
  else if (definition.says === undefined) writeLines(io.stdout, describeObject(answer, widthOf(io.stdout)));
  note(io, options, definition.says?.(answer, input) ?? []);
}

async function givenInput({ positions: names = [], fixed, defaults }: OperationCommand, { fields }: CatalogueEntry,
  positions: ReadonlyArray<string | readonly string[] | undefined>, options: OperationOptions,
  io: Io): Promise<Record<string, unknown>>
{
  const body = options.body === undefined ? {} : await bodyOf(options.body, io);
  const placed = Object.fromEntries(await Promise.all(names.map(async (name, index) => {
    const field = fields.find((each) => each.name === name)!;
    const texts = [positions[index] ?? []].flat();
    return [name, texts.length === 0 ? undefined : await valueOf(field, texts, io.stdin)] as const;
  })));
  return {
    ...defaults,
    ...body,
    ...await optionValues(fields, options as Readonly<Record<string, unknown>>, io),
    ...definedOf(placed),
    ...fixed,
  };
}

const definedOf = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/** The values of the fields that are given as options. */
export async function optionValues(fields: readonly Field[], options: Readonly<Record<string, unknown>>,
  io: Io): Promise<Record<string, unknown>>
{
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const given = options[attributeOf(field.name)];
    if (given !== undefined)
      values[field.name] = Array.isArray(given) ? await valueOf(field, given as string[], io.stdin) : given;
  }
  return values;
}

/** Reads an object from a JSON or YAML file; JSON is also YAML. */
export async function bodyOf(file: string, io: Io): Promise<Record<string, unknown>> {
  const text = (await bytesOf(file, '--body', io.stdin)).toString('utf8');
  let value: unknown;
  try {
    value = text.trimStart().startsWith('{') ? JSON.parse(text) : parse(text);
  } catch (error) {
    throw new UsageError(`--body ${file}: ${(error as Error).message}`, { cause: error });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`--body ${file}: expected an object, JSON or YAML`);
  return value as Record<string, unknown>;
}

async function secretOf({ secret }: OperationCommand, given: Input, io: Io): Promise<Input> {
  if (secret === undefined || given[secret] !== undefined) return {};
  if (!canAsk(io))
    throw new UsageError(`--${secret} is needed: --${secret} @FILE reads it from a file, @- from standard input`);
  return { [secret]: await askSecret(io, `${secret}: `) };
}

/** @throws {UsageError} naming the missing fields, before anything is sent. */
export function checkComplete(fields: readonly Field[], input: Input): void {
  const missing = fields.filter((field) => field.required && input[field.name] === undefined);
  if (missing.length > 0)
    throw new UsageError(`missing ${missing.map((field) => `--${flagNameOf(field)}`).join(', ')}`);
}

/** Lists up to `limit` items, over as many pages as they take. */
async function listItems(service: Service, { operation, items: field }: Pick<OperationCommand, 'operation' | 'items'>,
  columns: readonly ListColumn[], { input, hasLimit }: { readonly input: Input; readonly hasLimit: boolean },
  options: OperationOptions, io: Io): Promise<void>
{
  const most = options.all === true ? Infinity : options.limit ?? 100;
  const found: unknown[] = [];
  let [count, more] = [0, false];
  for await (const page of pagesOf(service, operation, field, {
    ...input,
    ...(hasLimit && most < 100 && { limit: most + 1 }),
  })) {
    const some = page.slice(0, most - count);
    more = some.length < page.length;
    count += some.length;
    if (options.ndjson === true) writeLines(io.stdout, some.map((item) => JSON.stringify(item)));
    else found.push(...some);
    if (more) break;
  }
  if (options.json === true) return writeJson(io, found);
  if (options.ndjson === true) return;
  if (count > 0) writeLines(io.stdout, itemsTable(columns, found, widthOf(io.stdout)));
  note(io, options, [
    count === 0
      ? 'there is nothing to list'
      : more
      ? `the first ${formatCount(count)}; --limit lists more, --all everything`
      : plural(count, 'item'),
  ]);
}

async function* pagesOf(service: Service, operation: OperationCommand['operation'], field: string | undefined,
  input: Input): AsyncGenerator<readonly unknown[]>
{
  if (await service.hasPages(operation)) return yield* service.pages(operation, input);
  const answer = await service.call(operation, input);
  yield (field === undefined ? answer : (answer as Record<string, unknown>)[field]) as readonly unknown[];
}

const EVERY_MS = 1000;

/** Waits for a response; on a terminal, says every second that it is still waiting. */
async function waiting<T>(io: Io, { quiet }: OutputOptions, work: Promise<T>): Promise<T> {
  if (io.stderr.isTTY !== true || quiet === true) return work;
  let seconds = 0;
  const timer = setInterval(() => io.stderr.write(`\rwaiting for the service, ${++seconds} s`), EVERY_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    // Moves to the beginning of the line, and clears it.
    if (seconds > 0) io.stderr.write('\r\u001b[K');
  }
}

/** Fields of lists that the command sets itself, page by page. */
const PAGING = ['limit', 'offset', 'cursor'];

/** Adds a group of commands, with all their options. */
export async function registerGroup(program: Command, { name, summary, commands }: CommandGroup,
  io: Io): Promise<Command>
{
  const group = program.command(name).summary(summary).description(`${summary[0]!.toUpperCase()}${summary.slice(1)}.`);
  for (const each of commands) await registerOperation(group, each, io, `${name} ${each.name}`);
  return group;
}

/** Adds a command that calls one operation. `title` is how messages name it. */
export async function registerOperation(parent: Command, definition: OperationCommand, io: Io,
  title = definition.name): Promise<void>
{
  const { positions = [], columns, asks, fixed = {}, without = [] } = definition;
  const { spec, fields } = await catalogueEntry(definition.operation);
  const isList = columns !== undefined;
  const command = parent.command(definition.name).summary(definition.summary).description(
    `${definition.summary[0]!.toUpperCase()}${definition.summary.slice(1)}.`,
  );
  for (const name of positions) addPosition(command, fields.find((field) => field.name === name)!);
  const taken = new Set([...positions, ...Object.keys(fixed), ...without, ...(isList ? PAGING : []), 'ifMatch',
    'ifNoneMatch']);
  for (const field of fields) if (!taken.has(field.name)) addFieldOption(command, field);
  if (spec.consumes[0] === 'application/json')
    command.option('--body <file>', 'JSON or YAML file with fields, or - for standard input; options win over it');
  if (isList)
    command.option('--limit <n>', 'most items to list', wholeNumber(1, 1_000_000), 100).option('--all',
      'list all items');
  if (asks !== undefined) command.option('-y, --yes', 'do not ask');
  addClientOptions(addOutputOptions(command, isList ? 'list' : 'one'));
  if (definition.examples !== undefined)
    command.addHelpText('after', `\nExamples:\n${definition.examples.map((line) => `  $ quire ${line}`).join('\n')}`);
  command.action((...given: unknown[]) =>
    runCommand(title, io, () =>
      runOperation(definition, { spec, fields }, given.slice(0, positions.length) as (string | string[] | undefined)[],
        command.opts(), io))
  );
}

function addPosition(command: Command, field: Field): void {
  const many = field.kind === 'strings' ? '...' : '';
  const text = `${field.flag}${many}`;
  command.argument(field.required ? `<${text}>` : `[${text}]`, field.description.split('. ')[0]!.replace(/\.$/, ''));
}
