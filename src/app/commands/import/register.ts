import { type Command, Option } from 'commander';
import { systemClock } from '../../../lib/clock.ts';
import { commaList, wholeNumber } from '../shared/arguments.ts';
import { addClientOptions, type ClientOptions } from '../shared/client.ts';
import { runCommand } from '../shared/command-error.ts';
import { untilInterrupted } from '../shared/interrupt.ts';
import { type Io, processIo } from '../shared/io.ts';
import { type ImportArguments, runImport } from './run-import.ts';

const EXAMPLES = `
SOURCE is a folder of files, one such file, a file of NDJSON (.ndjson, .jsonl, also .gz), or -
for NDJSON on standard input. Files are markdown (.md, .markdown, .mdx), or of a kind that the
service converts: .txt .html .htm .pdf .docx .odt .rtf .yaml .yml .log .lex .tex .latex.

A file's key is its path, that of markdown without its ending; its front matter becomes metadata, and a field
\`lang\` there wins over --lang. A line of NDJSON is an exported document
{"key", "lang", "meta", "contentMd"} or a parsed file {"path", "lang", "frontmatter", "body"}.

Examples:
  $ quire import docs/ --collection handbook
  $ quire import files/ --collection archive --only md,pdf,docx
  $ quire import pages.ndjson.gz --collection mdn --concurrency 8
  $ quire import pages.ndjson --collection mdn --profile fast
  $ quire export --collection blog | quire import - --collection blog-copy
  $ quire import docs/ --collection handbook --dry-run

Batches may overtake each other. When the source holds the same document twice and the
later one must win, use --concurrency 1.
`;

/** Parses `md,.PDF` to extensions in lower case without their dots. */
export function endings(text: string): string[] {
  return commaList(text).map((each) => each.replace(/^\./, '').toLowerCase());
}

/** Adds `quire import` to the program. */
export function registerImport(program: Command, io: Io = processIo): void {
  const command = program.command('import').summary('import files or NDJSON into a collection').description(
    'Import a folder of files, or NDJSON, into a collection of a running document service.',
  ).argument('<source>', 'folder, file, or - for standard input').requiredOption('-c, --collection <name>',
    'collection to import into').option('-l, --lang <code>', 'language of documents that name none', 'en').option(
      '--concurrency <n>',
      'requests under way at once',
      wholeNumber(1, 64),
      4,
    ).option('--batch <n>', 'documents in a request, which also ends at 4 MiB of text', wholeNumber(1, 10_000), 200)
    .addOption(
      new Option('--profile <name>',
        'store through /v1/ingest with this profile; fast skips duplicates, revisions and webhooks').choices(['default',
          'fast']),
    ).option('--only <endings>', 'kinds of files to take from a folder, such as md,pdf', endings).option(
      '--no-revisions',
      'keep the imported versions out of the history',
    ).option('--dry-run', 'read and count, but send nothing').option('-q, --quiet', 'show errors only');
  addClientOptions(command).addHelpText('after', EXAMPLES).action(
    async (source: string, options: Omit<ImportArguments, 'source'> & ClientOptions) => {
      await runCommand('import', io, () =>
        untilInterrupted((signal) => runImport({ ...options, source }, { io, signal, clock: systemClock })));
    },
  );
}
