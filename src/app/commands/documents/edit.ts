import type { Command } from 'commander';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Document, WrittenDocument } from '../../../../generated/docs/sdk/types.gen.ts';
import { CommandError, EXIT, runCommand } from '../shared/command-error.ts';
import type { Io } from '../shared/io.ts';
import { note, writeJson } from '../shared/output.ts';
import { ask, canAsk } from '../shared/prompt.ts';
import { ServiceFailure } from '../shared/service-failure.ts';
import { openService, type Service } from '../shared/service.ts';
import { compareLines, linesOf } from './diff.ts';
import { type Address, documentCommand, type DocumentOptions, nameOf } from './documents.ts';

const HELP = `
The editor is $VISUAL, or $EDITOR, or vi. What is saved is stored when the editor ends, unless somebody else has changed the
document in the meantime: then you choose, and without a terminal the text is kept in a file and the status is 5.

Examples:
  $ quire edit blog hello
  $ EDITOR="code --wait" quire edit blog hello --lang de
`;

/** `quire edit`: opens the markdown of a document in an editor. */
export function registerEdit(program: Command, io: Io): void {
  documentCommand(program, 'edit', 'change the markdown of a document in your editor').addHelpText('after', HELP)
    .action((collection: string, key: string, options: DocumentOptions) =>
      runCommand('edit', io, () => edit({ collection, key, lang: options.lang }, options, io))
    );
}

/** A document that is being edited: the file with its text, and the version on which the text is based. */
interface Draft {
  readonly file: string;
  readonly base: Document;
}

async function edit(address: Address, options: DocumentOptions, io: Io): Promise<void> {
  const service = openService(options);
  const base = await service.call('getDocument', { ...address });
  const folder = await mkdtemp(join(tmpdir(), 'quire-edit-'));
  const file = join(folder, 'document.md');
  let isKept = false;
  try {
    await writeFile(file, base.contentMd, { mode: 0o600 });
    await openEditor(file);
    const stored = await store(service, address, { file, base }, options, io);
    if (options.json === true && stored !== undefined) writeJson(io, stored);
  } catch (error) {
    // The user's text must not be lost if the service rejects it or is unavailable.
    isKept = await readFile(file, 'utf8').then((text) => text !== base.contentMd, () => false);
    if (!isKept || !(error instanceof Error)) throw error;
    note(io, {}, [`your text is kept in ${file}`]);
    throw error;
  } finally {
    if (!isKept) await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Stores the draft. If the document was changed meanwhile, asks each time whether to merge, to overwrite it, or to keep
 * the draft in a file.
 */
async function store(service: Service, address: Address, { file, base }: Draft, options: DocumentOptions,
  io: Io): Promise<WrittenDocument | undefined>
{
  for (let known = base;;) {
    const contentMd = await readFile(file, 'utf8');
    if (contentMd === known.contentMd) return void note(io, options, [`${nameOf(address)} is unchanged`]);
    try {
      const stored = await service.call('updateDocument', { ...address, contentMd, ifChecksum: known.checksum! });
      note(io, options, [`stored ${nameOf(address)}`]);
      return stored;
    } catch (error) {
      if (!(error instanceof ServiceFailure) || error.status !== 412) throw error;
      known = await service.call('getDocument', { ...address });
      if (!canAsk(io)) throw new Conflict(`${nameOf(address)} was changed by somebody else in the meantime`);
      const choice =
        (await ask(io,
          `${
            nameOf(address)
          } was changed in the meantime. [m]erge in the editor, [o]verwrite it, or [k]eep your text in a file? `))
          .toLowerCase();
      if (choice.startsWith('m')) {
        await writeFile(file, mergedText(contentMd, known.contentMd));
        await openEditor(file);
      } else if (!choice.startsWith('o')) throw new Conflict(`${nameOf(address)} was not stored`);
    }
  }
}

class Conflict extends CommandError {
  override readonly exitCode = EXIT.conflict;
}

/** Merges both texts into one, with git's conflict markers around differences. */
export function mergedText(yours: string, theirs: string): string {
  const result: string[] = [];
  let [mine, other]: [string[], string[]] = [[], []];
  const flush = (): void => {
    if (mine.length + other.length > 0)
      result.push('<<<<<<< yours', ...mine, '=======', ...other, '>>>>>>> stored in the meantime');
    [mine, other] = [[], []];
  };
  for (const { value, added, removed } of compareLines(yours, theirs)) {
    const lines = linesOf(value);
    if (removed) mine.push(...lines);
    else if (added) other.push(...lines);
    else {
      flush();
      result.push(...lines);
    }
  }
  flush();
  return `${result.join('\n')}\n`;
}

/** The editor is a command line that the user configured, such as `code --wait`. */
async function openEditor(file: string): Promise<void> {
  const editor = process.env['VISUAL'] || process.env['EDITOR'] || 'vi';
  // A shell parses the command line. The file name is passed as an argument, so that the shell interprets no character
  // of it.
  const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
  const [code] = await once(child, 'exit') as [number | null];
  if (code !== 0) throw new CommandError(`the editor ${editor} ended with ${code ?? 'a signal'}: nothing was stored`);
}
