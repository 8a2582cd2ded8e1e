import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { CommandError } from '../shared/command-error.ts';
import type { RowOptions } from './document-from-row.ts';
import { fileSource, type FolderOptions, folderSource, isConvertedName, isMarkdownName } from './read-folder.ts';
import { ndjsonSource } from './read-ndjson.ts';
import type { Source } from './source.ts';

const NDJSON = /\.(?:ndjson|jsonl)(?:\.gz)?$/i;

/**
 * Opens the source that an argument names: a folder of files, a single file, an NDJSON file (also gzip), or `-` for
 * NDJSON on standard input.
 * @throws {CommandError} if nothing with that name exists, or if it is none of these.
 */
export async function openSource(argument: string, stdin: Readable,
  options: RowOptions & FolderOptions): Promise<Source>
{
  if (argument === '-') return ndjsonSource({ name: 'standard input', size: undefined, open: () => stdin }, options);
  const found = await stat(argument).catch((error: unknown) => {
    throw new CommandError(
      `cannot read ${argument}: ${
        (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'no such file or folder' : (error as Error).message
      }`,
    );
  });
  if (found.isDirectory()) return folderSource(argument, options);
  if (isMarkdownName(argument) || isConvertedName(argument)) return fileSource(argument, options.lang);
  if (!NDJSON.test(argument)) {
    throw new CommandError(
      `cannot tell what ${argument} is: expected a folder, or a file ending in .md, .txt, .html, .pdf, .docx, .odt, ` +
        '.rtf, .yaml, .log, .lex, .tex, .ndjson, .jsonl, .ndjson.gz or .jsonl.gz',
    );
  }
  // A named pipe has no size.
  const size = found.isFile() ? found.size : undefined;
  return ndjsonSource({ name: argument, size, open: () => createReadStream(argument) }, options);
}
