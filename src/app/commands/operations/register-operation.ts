import type { Command } from 'commander';
import { wholeNumber } from '../shared/arguments.ts';
import { addClientOptions } from '../shared/client.ts';
import { runCommand } from '../shared/command-error.ts';
import type { Io } from '../shared/io.ts';
import { addOutputOptions } from '../shared/output.ts';
import { catalogueEntry } from './catalogue.ts';
import type { CommandGroup, OperationCommand } from './define.ts';
import { addFieldOption } from './field-option.ts';
import type { Field } from './fields.ts';
import { runOperation } from './run-operation.ts';

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
