import { Argument, type Command } from 'commander';
import type { Document } from '../../../../generated/docs/sdk/types.gen.ts';
import { runCommand } from '../shared/command-error.ts';
import { ProfileOption } from '../shared/connection.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { readProfiles } from '../shared/profiles.ts';
import { openService } from '../shared/service.ts';

const HELP = `
Completes commands and options, and asks the service for the names of collections and the keys of documents.

  bash   add to ~/.bashrc:  source <(quire completion bash)
  zsh    add to ~/.zshrc:   source <(quire completion zsh), after autoload -U compinit && compinit
  fish   quire completion fish > ~/.config/fish/completions/quire.fish
`;

/** `quire completion`: prints the completion script of a shell. */
export function registerCompletion(program: Command, io: Io): void {
  program.command('completion').summary('print the completion of commands for a shell').description(
    'Print the completion of commands for a shell.',
  ).addArgument(new Argument('<shell>', 'shell to complete in').choices(['bash', 'zsh', 'fish'])).addHelpText('after',
    HELP).action((shell: 'bash' | 'zsh' | 'fish') => runCommand('completion', io, () => print(shell, io)));
}

async function print(shell: 'bash' | 'zsh' | 'fish', io: Io): Promise<void> {
  const [{ createProgram }, { completionModel }] = await Promise.all([import('../program.ts'), import('./model.ts')]);
  const model = completionModel(await createProgram('all', io));
  switch (shell) {
    case 'bash':
      return void io.stdout.write((await import('./shells.ts')).bashCompletion(model));
    case 'zsh':
      return void io.stdout.write((await import('./shells.ts')).zshCompletion(model));
    case 'fish':
      return void io.stdout.write((await import('./shells.ts')).fishCompletion(model));
  }
}

/** Short, because the user is waiting at the prompt. */
const LIMIT_MS = 1000;
const MOST_KEYS = 1000;

/** `quire __complete`: prints names for the shell. Prints nothing if there are none, or none within a second. */
export function registerComplete(program: Command, io: Io): void {
  program.command('__complete', { hidden: true }).argument('<what>').argument('[collection]').addOption(
    new ProfileOption(),
  ).action(async (what: string, collection: string | undefined, options: { readonly serverProfile?: string }) => {
    try {
      writeLines(io.stdout, await namesOf(what, collection, options));
    } catch {
      // An error message would overwrite the line that the user is typing.
    }
  });
}

async function namesOf(what: string, collection: string | undefined,
  options: { readonly serverProfile?: string }): Promise<string[]>
{
  if (what === 'profiles') return Object.keys(readProfiles().profiles);
  const service = openService(options, { timeoutMs: LIMIT_MS, retries: 0 });
  if (what === 'collections') return (await service.call('getStats')).collections.map(({ name }) => name);
  if (what !== 'keys' || collection === undefined) return [];
  const found = await service.call('searchDocuments', { collection, fields: [], limit: MOST_KEYS }) as Pick<Document,
    'key'>[];
  return [...new Set(found.map(({ key }) => key))];
}
