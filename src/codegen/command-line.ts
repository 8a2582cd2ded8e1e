import { type Command, Help } from 'commander';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createProgram, ENTRIES, treeOf } from '../app/commands/program.ts';
import { EXIT_MEANINGS } from '../app/commands/shared/command-error.ts';
import type { Io } from '../app/commands/shared/io.ts';

/** The part of the page above this line is written by hand. */
const MARK = '<!-- `npm run generate` writes what follows. -->';

/** Options of all client commands, which the page describes once. */
const COMMON = new Set(['--url', '--api-key', '--token', '--profile', '--json', '--ndjson', '--quiet', '--no-color',
  '--help', '--limit', '--all', '--yes', '--body']);

const WIDTH = 120;

const page = (root: string): string => join(root, 'docs', 'cli.md');

/** The expected page on the command line: the part that is written by hand, and the help of every command. */
async function renderCommandLine(root: string): Promise<string> {
  const before = (await readFile(page(root), 'utf8')).split(MARK)[0]!;
  const program = await wholeProgram();
  const status = ['| status | meaning |', '|---|---|',
    ...EXIT_MEANINGS.map(([code, meaning]) => `| ${code} | ${meaning} |`)];
  const headings = [...new Set(ENTRIES.map(({ group }) => group))];
  const sections = headings.flatMap((
    heading,
  ) => [`## ${heading.slice(0, -1)}`, '',
    ...program.commands.filter((command) => command.helpGroup() === heading).flatMap((command) =>
      treeOf(command).filter(isShown).flatMap(sectionOf)
    )]
  );
  return `${[`${before}${MARK}`, '', '## Status', '', ...status, '', ...sections].join('\n').trimEnd()}\n`;
}

/** The program with all its commands, which writes nothing. */
export function wholeProgram(): Promise<Command> {
  const nowhere = { write: () => true } as unknown as Io['stdout'];
  return createProgram('all', { stdin: process.stdin, stdout: nowhere, stderr: nowhere, setExitCode: () => undefined });
}

/** Writes the page; keeps the part that is written by hand. */
export async function writeCommandLine(root: string): Promise<void> {
  await writeFile(page(root), await renderCommandLine(root));
}

/** Whether the page matches the commands. */
export async function isCommandLineCurrent(root: string): Promise<boolean> {
  return (await readFile(page(root), 'utf8')) === await renderCommandLine(root);
}

/**
 * The options of an operation of `quire call` are created when it is called; the list of operations is sufficient here.
 */
const isShown = (command: Command): boolean => command.parent?.name() !== 'call';

function sectionOf(command: Command): string[] {
  const title = nameOf(command);
  return [`### ${title}`, '', '```text', ...helpOf(command).trim().split('\n').map((line) => line.trimEnd()), '```',
    ''];
}

const nameOf = (
  command: Command,
): string => (command.parent === null ? command.name() : `${nameOf(command.parent)} ${command.name()}`);

/** The help of a command without the common options, with the text below it. */
function helpOf(command: Command): string {
  let text = '';
  command.configureHelp({
    helpWidth: WIDTH,
    visibleOptions: (shown) => new Help().visibleOptions(shown).filter(({ long }) => !COMMON.has(long ?? '')),
    visibleCommands: (shown) => new Help().visibleCommands(shown).filter((each) => each.name() !== 'help'),
  });
  command.configureOutput({ writeOut: (some) => void (text += some), getOutHelpWidth: () => WIDTH });
  command.outputHelp();
  return text;
}
