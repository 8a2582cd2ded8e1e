import { type Command, Option } from 'commander';
import { systemClock } from '../../../lib/clock.ts';
import { wholeNumber } from '../shared/arguments.ts';
import { addClientOptions, type ClientOptions } from '../shared/client.ts';
import { runCommand } from '../shared/command-error.ts';
import { untilInterrupted } from '../shared/interrupt.ts';
import { type Io, processIo } from '../shared/io.ts';
import { type ImportWikiArguments, runImportWiki } from './run-import-wiki.ts';

const EXAMPLES = `
DUMP is an export of a MediaWiki: XML, also packed with bzip2 or gzip. It may have any size.

How far the service has acknowledged the dump is kept in a small file beside it (or in the
user's folder for such things); the same command goes on there after an interruption.

Examples:
  $ quire import-wiki enwiki-latest-pages-articles.xml.bz2 --collection wiki --lang en
  $ quire import-wiki dump.xml --collection wiki --lang de --namespaces 0,14 --skip-redirects
  $ quire import-wiki dump.xml.bz2 --collection wiki --lang en --profile fast --skip-fts
`;

/** Adds `quire import-wiki` to the program. */
export function registerImportWiki(program: Command, io: Io = processIo): void {
  const command = program.command('import-wiki').summary('import a dump of a wiki into a collection').description(
    'Import the pages of a MediaWiki dump as markdown into a collection of a running document service.',
  ).argument('<dump>', 'the dump, such as dump.xml.bz2').requiredOption('-c, --collection <name>',
    'collection to import into').requiredOption('-l, --lang <code>', 'language of the pages').option(
      '--namespaces <ids>',
      'ids of the namespaces to import, separated by commas',
      '0',
    ).option('--skip-redirects', 'leave out pages that only redirect').option('--skip-fts',
      'leave the pages out of the full-text index until it is rebuilt').option('--batch <n>',
      'pages in a request, which also ends at 32 MiB of XML', wholeNumber(1, 10_000), 2000).addOption(
      new Option('--profile <name>', 'ingest profile; fast skips duplicates, revisions and webhooks').choices([
        'default',
        'fast',
      ]),
    ).option('--restart', 'begin at the first page, whatever an earlier import has reached').option('-q, --quiet',
      'show errors only');
  addClientOptions(command).addHelpText('after', EXAMPLES).action(
    async (dump: string, options: Omit<ImportWikiArguments, 'dump'> & ClientOptions) => {
      await runCommand('import-wiki', io, () =>
        untilInterrupted((signal) => runImportWiki({ ...options, dump }, { io, signal, clock: systemClock })));
    },
  );
}
