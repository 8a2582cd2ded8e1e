import type { Document } from '../../../generated/docs/sdk/types.gen.ts';
import { type ZipEntry, zipStream } from '../../lib/zip-stream.ts';
import type { Download } from '../../operations/index.ts';
import { joinFrontMatter } from '../../text/front-matter.ts';
import { EntryNames } from './entry-name.ts';

export type ExportFormat = 'ndjson' | 'zip';

/** Lines are collected to pieces of about this many bytes, because sending small pieces costs more than making them. */
const PIECE = 64 * 1024;

/**
 * The documents as a file that is generated while it is read: a slow reader slows down the database reads, and uses no
 * memory. A reader that stops also ends the source.
 */
export function exportFile(collection: string, format: ExportFormat, source: AsyncIterable<Document[]>): Download {
  const fileName = `${collection.replace(/[\\/]/g, '_')}.${format}`;
  return format === 'zip'
    ? { contentType: 'application/zip', fileName, content: zipStream(toEntries(source)) }
    : { contentType: 'application/x-ndjson', fileName, content: toLines(source) };
}

async function* toLines(source: AsyncIterable<Document[]>): AsyncGenerator<Buffer> {
  let piece = '';
  for await (const documents of source) {
    for (const document of documents) {
      piece += `${JSON.stringify(document)}\n`;
      if (piece.length < PIECE) continue;
      yield Buffer.from(piece, 'utf8');
      piece = '';
    }
  }
  if (piece !== '') yield Buffer.from(piece, 'utf8');
}

async function* toEntries(source: AsyncIterable<Document[]>): AsyncGenerator<ZipEntry> {
  const names = new EntryNames();
  for await (const documents of source) {
    for (const { key, lang, meta, contentMd, updatedAt } of documents) {
      yield {
        name: names.next(key, lang),
        content: Buffer.from(joinFrontMatter(meta, contentMd), 'utf8'),
        modified: updatedAt * 1000,
      };
    }
  }
}
