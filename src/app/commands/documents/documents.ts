import { type Command, Option } from 'commander';
import { writeFile } from 'node:fs/promises';
import type { ProjectedDocument, SearchDocumentsRequest } from '../../../../generated/docs/sdk/types.gen.ts';
import { joinFrontMatter, splitFrontMatter } from '../../../text/front-matter.ts';
import { bytesOf } from '../operations/parse-value.ts';
import { collectFilter, commaList, wholeNumber } from '../shared/arguments.ts';
import { CommandError, runCommand } from '../shared/command-error.ts';
import { addClientOptions, type ClientOptions } from '../shared/connection.ts';
import { documentTable } from '../shared/document-table.ts';
import { type Io, writeLines } from '../shared/io.ts';
import { addOutputOptions, formatCount, note, type OutputOptions, plural, widthOf,
  writeJson } from '../shared/output.ts';
import { confirm } from '../shared/prompt.ts';
import { openService } from '../shared/service.ts';

/** The document that a command is about. */
export interface Address {
  readonly collection: string;
  readonly key: string;
  readonly lang: string;
}

export interface DocumentOptions extends ClientOptions, OutputOptions {
  readonly lang: string;
}

/** A command about one document: its arguments `<collection> <key>` and the common options. */
export function documentCommand(program: Command, name: string, summary: string): Command {
  const command = program.command(name).summary(summary).description(
    `${summary[0]!.toUpperCase()}${summary.slice(1)}.`,
  );
  return addClientOptions(
    addOutputOptions(
      command.argument('<collection>', 'collection of the document').argument('<key>', 'key of the document').option(
        '-l, --lang <code>',
        'language of the document',
        'en',
      ),
    ),
  );
}

/** Names a document in messages. */
export const nameOf = ({ key, lang }: Address): string => `${key} (${lang})`;

interface ListOptions extends ClientOptions, OutputOptions {
  readonly filter?: Record<string, string[]>;
  readonly sort?: 'addedAt' | 'updatedAt' | 'key';
  readonly asc?: boolean;
  readonly fields?: string[];
  readonly limit: number;
  readonly all?: boolean;
}

/** The columns of the table if no fields are requested. */
const TABLE_FIELDS = ['title', 'updatedAt', 'tags', 'category'];
const PAGE = 1000;

/** `quire list`: the documents of a collection. */
export function registerList(program: Command, io: Io): void {
  const command = program.command('list').summary('list the documents of a collection').description(
    'List the documents of a collection, page after page.',
  ).argument('<collection>', 'collection to list').option('--filter <key=value>',
    'only documents with this metadata; repeat a key for alternatives, other keys must match too', collectFilter)
    .addOption(
      new Option('--sort <field>', 'what to sort by, newest or last first; without it by key, ascending').choices([
        'addedAt',
        'updatedAt',
        'key',
      ]),
    ).option('--asc', 'sort ascending').option('--fields <names>',
      'what to show of each document, as for `quire search`', commaList).option('--limit <n>', 'most documents to list',
      wholeNumber(1, Number.MAX_SAFE_INTEGER), 100).option('--all', 'list all documents');
  addClientOptions(addOutputOptions(command, 'list')).addHelpText('after',
    '\nExamples:\n  $ quire list blog --sort updatedAt --limit 10\n  $ quire list blog --all --ndjson --fields ' +
      'title | jq -r .key').action((collection: string, options: ListOptions) =>
      runCommand('list', io, () => list(collection, options, io)));
}

async function list(collection: string, options: ListOptions, io: Io): Promise<void> {
  const { filter, sort, asc, fields, json, ndjson } = options;
  const most = options.all === true ? Infinity : options.limit;
  const wanted = fields ?? (json === true || ndjson === true ? undefined : TABLE_FIELDS);
  const input: SearchDocumentsRequest = {
    // Requests one more than is shown, to find out whether there are more.
    collection,
    limit: Math.min(PAGE, most + 1),
    filterMeta: filter,
    sort,
    asc,
    fields: wanted,
  };
  const found: ProjectedDocument[] = [];
  let [count, more] = [0, false];
  for await (const page of openService(options).pages('searchDocuments', { ...input })) {
    const some = page.slice(0, most - count) as ProjectedDocument[];
    [count, more] = [count + some.length, some.length < page.length];
    if (ndjson === true) writeLines(io.stdout, some.map((each) => JSON.stringify(each)));
    else found.push(...some);
    if (more) break;
  }
  if (json === true) return writeJson(io, found);
  if (ndjson === true) return;
  if (count > 0) writeLines(io.stdout, documentTable(found, fields, widthOf(io.stdout)));
  note(io, options, [
    count === 0
      ? 'there are no such documents'
      : more
      ? `the first ${formatCount(count)}; --limit lists more, --all everything`
      : plural(count, 'document'),
  ]);
}

interface GetOptions extends DocumentOptions {
  readonly frontMatter?: boolean;
  readonly output?: string;
}

const GET_EXAMPLES = `
Examples:
  $ quire get blog hello
  $ quire get blog hello --front-matter -o hello.md      # \`quire add\` reads it back
  $ quire get blog hello --json | jq .meta
`;

/** `quire get`: the markdown of a document. */
export function registerGet(program: Command, io: Io): void {
  documentCommand(program, 'get', 'print the markdown of a document').option('--front-matter',
    'begin with the metadata as YAML').option('-o, --output <file>', 'file to write instead of standard output')
    .addHelpText('after', GET_EXAMPLES).action((collection: string, key: string, options: GetOptions) =>
      runCommand('get', io, () => get({ collection, key, lang: options.lang }, options, io))
    );
}

async function get(address: Address, options: GetOptions, io: Io): Promise<void> {
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

interface AddOptions extends DocumentOptions {
  readonly meta?: Readonly<Record<string, string[]>>;
  readonly ttl?: number;
  readonly replace: boolean;
}

const ADD_EXAMPLES = `
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
    .addHelpText('after', ADD_EXAMPLES).action((collection: string, key: string, file: string, options: AddOptions) =>
      runCommand('add', io, () => add({ collection, key, file }, options, io))
    );
}

async function add(
  { collection, key, file }: { readonly collection: string; readonly key: string; readonly file: string },
  options: AddOptions,
  io: Io,
): Promise<void> {
  const { meta, body, warnings } = splitFrontMatter((await bytesOf(file, 'file', io.stdin)).toString('utf8'));
  const input = {
    collection,
    key,
    lang: options.lang,
    contentMd: body,
    meta: { ...meta, ...options.meta },
    ttl: options.ttl,
    ifNoneMatch: options.replace ? undefined : '*',
  };
  const document = await openService(options).call('addDocument', input);
  if (options.json === true) return writeJson(io, document);
  writeLines(io.stdout, [document.key]);
  note(io, options, [...warnings,
    document.addedAt === document.updatedAt ? 'stored' : 'stored in place of an older version']);
}

interface DeleteOptions extends DocumentOptions {
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
      options: DeleteOptions,
    ) => runCommand('delete', io, () => remove(collection, keys, options, io)));
}

async function remove(collection: string, keys: readonly string[], options: DeleteOptions, io: Io): Promise<void> {
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
      purge: options.purge,
    }));
  if (options.json === true) return writeJson(io, answers.length === 1 ? answers[0] : answers);
  note(io, options, [`deleted ${what}`]);
}
