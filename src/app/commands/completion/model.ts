import type { Command } from 'commander';
import { treeOf } from '../program.ts';

/** The source of the values of an option or an argument: fixed words, the service, the profiles, or files. */
export type Values = readonly string[] | 'collections' | 'keys' | 'profiles' | 'files' | 'any';

/** An option as shells complete it. */
export interface CompletedOption {
  /** For example `-c` and `--collection`. */
  readonly flags: readonly string[];
  readonly description: string;
  /** Absent for options without a value. */
  readonly values?: Values;
}

/** A command as shells complete it. */
export interface CompletedCommand {
  /** Its full name, for example `quire users list`. */
  readonly path: string;
  readonly commands: ReadonlyArray<readonly [name: string, description: string]>;
  readonly options: readonly CompletedOption[];
  /** Values of its arguments, by position; the last entry applies to all further positions. */
  readonly positions: readonly Values[];
}

const HELP: CompletedOption = { flags: ['-h', '--help'], description: 'show what is possible' };

/** The completion model of a program all of whose commands are loaded. */
export function completionModel(program: Command): CompletedCommand[] {
  return treeOf(program).map((command) => ({
    path: pathOf(command),
    commands: command.commands.filter((each) => each.name() !== '__complete').map((each) =>
      [each.name(), each.summary() || each.description()] as const
    ),
    options: [
      ...command.options.filter(({ hidden }) => !hidden).map((
        { short, long, description, required, optional, argChoices, attributeName },
      ) => ({
        flags: [short, long].filter((flag) => flag !== undefined),
        description: plain(description),
        ...((required || optional) && { values: argChoices ?? valuesOf(long?.slice(2) ?? attributeName()) }),
      })),
      HELP,
    ],
    positions: command.registeredArguments.map((argument) => argument.argChoices ?? valuesOf(argument.name())),
  }));
}

/** The full name of a command. */
export function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}

function valuesOf(name: string): Values {
  if (name === 'collection') return 'collections';
  if (name === 'key') return 'keys';
  if (name === 'profile') return 'profiles';
  return /^(?:file|folder|source|dump|body|output|config|schema|.*-(?:file|dir|db|to))$/.test(name) ? 'files' : 'any';
}

/** Returns one line without characters that a shell would interpret. */
const plain = (text: string): string => text.replaceAll(/[\n'"\\$`[\]]/g, ' ').replaceAll(/ +/g, ' ').trim();
