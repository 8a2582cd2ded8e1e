import type { Command } from 'commander';
import { addClientOptions } from '../shared/client.ts';
import { runCommand } from '../shared/command-error.ts';
import { plural } from '../shared/format.ts';
import type { Io } from '../shared/io.ts';
import { addOutputOptions, note, writeJson } from '../shared/output.ts';
import { confirm } from '../shared/prompt.ts';
import { openService } from '../shared/service.ts';
import type { DocumentOptions } from './address.ts';

interface Options extends DocumentOptions {
  readonly purge?: boolean;
  readonly yes?: boolean;
}

/** `quire delete`: deletes documents. */
export function registerDelete(program: Command, io: Io): void {
  const command = program.command('delete').summary('delete documents').description(
    'Delete documents. Their history is kept, and `quire restore-revision` brings them back, unless --purge ' +
      'deletes it, too.',
  ).argument('<collection>', 'collection of the documents').argument('<key...>', 'keys of the documents').option(
    '-l, --lang <code>',
    'language of the documents',
    'en',
  ).option('--purge', 'delete the history, too').option('-y, --yes', 'do not ask');
  addClientOptions(addOutputOptions(command)).addHelpText('after',
    '\nExamples:\n  $ quire delete blog hello\n  $ quire delete blog draft-1 draft-2 --purge --yes').action((
      collection: string,
      keys: string[],
      options: Options,
    ) => runCommand('delete', io, () => remove(collection, keys, options, io)));
}

async function remove(collection: string, keys: readonly string[], options: Options, io: Io): Promise<void> {
  const what = keys.length === 1 ? keys[0]! : plural(keys.length, 'document');
  if (!await confirm(io, `Delete ${what} of ${collection}${options.purge === true ? ' with all revisions' : ''}?`,
    options)) return note(io, options, ['nothing was deleted']);
  const service = openService(options);
  const answers = [];
  for (const key of keys)
    answers.push(await service.call('deleteDocument', {
      collection,
      key,
      lang: options.lang,
      ...(options.purge === true && { purge: true }),
    }));
  if (options.json === true) return writeJson(io, answers.length === 1 ? answers[0] : answers);
  note(io, options, [`deleted ${what}`]);
}
