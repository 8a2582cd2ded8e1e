import type { Command } from 'commander';
import { splitFrontMatter } from '../../../text/front-matter.ts';
import { bytesOf } from '../operations/parse-value.ts';
import { collectFilter, wholeNumber } from '../shared/arguments.ts';
import { runCommand } from '../shared/command-error.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { note, writeJson } from '../shared/output.ts';
import { openService } from '../shared/service.ts';
import { documentCommand, type DocumentOptions } from './address.ts';

interface Options extends DocumentOptions {
  readonly meta?: Readonly<Record<string, string[]>>;
  readonly ttl?: number;
  readonly replace: boolean;
}

const EXAMPLES = `
Front matter of the file becomes metadata, and --meta wins over it. A document that is there already is replaced,
and what it said stays in its history.

Examples:
  $ quire add blog hello hello.md
  $ echo '# Hello' | quire add blog hello -
  $ quire add blog hello hello.md --meta tags=news --meta tags=2026 --no-replace
`;

/** `quire add`: stores a document from a file or standard input. */
export function registerAdd(program: Command, io: Io): void {
  documentCommand(program, 'add', 'store a document from a file or standard input').argument('<file>',
    'file of markdown, or - for standard input').option('--meta <key=value>', 'metadata; may be repeated',
      collectFilter).option('--ttl <seconds>', 'time until the document expires',
      wholeNumber(0, Number.MAX_SAFE_INTEGER)).option('--no-replace', 'fail when there is such a document already')
    .addHelpText('after', EXAMPLES).action((collection: string, key: string, file: string, options: Options) =>
      runCommand('add', io, () => add({ collection, key, file }, options, io))
    );
}

async function add(
  { collection, key, file }: { readonly collection: string; readonly key: string; readonly file: string },
  options: Options,
  io: Io,
): Promise<void> {
  const { meta, body, warnings } = splitFrontMatter((await bytesOf(file, 'file', io.stdin)).toString('utf8'));
  const input = {
    collection,
    key,
    lang: options.lang,
    contentMd: body,
    meta: { ...meta, ...options.meta },
    ...(options.ttl !== undefined && { ttl: options.ttl }),
    ...(options.replace ? {} : { ifNoneMatch: '*' }),
  };
  const document = await openService(options).call('addDocument', input);
  if (options.json === true) return writeJson(io, document);
  writeLines(io.stdout, [document.key]);
  note(io, options, [...warnings,
    document.addedAt === document.updatedAt ? 'stored' : 'stored in place of an older version']);
}
