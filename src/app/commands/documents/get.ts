import type { Command } from 'commander';
import { writeFile } from 'node:fs/promises';
import { joinFrontMatter } from '../../../text/front-matter.ts';
import { CommandError, runCommand } from '../shared/command-error.ts';
import type { Io } from '../shared/io.ts';
import { note, writeJson } from '../shared/output.ts';
import { openService } from '../shared/service.ts';
import { type Address, documentCommand, type DocumentOptions } from './address.ts';

interface Options extends DocumentOptions {
  readonly frontMatter?: boolean;
  readonly output?: string;
}

const EXAMPLES = `
Examples:
  $ quire get blog hello
  $ quire get blog hello --front-matter -o hello.md      # \`quire add\` reads it back
  $ quire get blog hello --json | jq .meta
`;

/** `quire get`: the markdown of a document. */
export function registerGet(program: Command, io: Io): void {
  documentCommand(program, 'get', 'print the markdown of a document').option('--front-matter',
    'begin with the metadata as YAML').option('-o, --output <file>', 'file to write instead of standard output')
    .addHelpText('after', EXAMPLES).action((collection: string, key: string, options: Options) =>
      runCommand('get', io, () => get({ collection, key, lang: options.lang }, options, io))
    );
}

async function get(address: Address, options: Options, io: Io): Promise<void> {
  const document = await openService(options).call('getDocument', { ...address });
  if (options.json === true) return writeJson(io, document);
  const { contentMd, meta } = document;
  const text = options.frontMatter === true ? joinFrontMatter(meta ?? {}, contentMd) : contentMd;
  if (options.output === undefined)
    return void io.stdout.write(text === '' || text.endsWith('\n') ? text : `${text}\n`);
  await writeFile(options.output, text).catch((error: Error) => {
    throw new CommandError(`cannot write ${options.output}: ${error.message}`, { cause: error });
  });
  note(io, options, [`wrote ${options.output}`]);
}
