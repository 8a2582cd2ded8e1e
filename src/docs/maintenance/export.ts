import type { Document } from '../../../generated/docs/sdk/types.gen.ts';
import { type ZipEntry, zipStream } from '../../lib/zip-stream.ts';
import type { Download } from '../../operations/index.ts';
import { joinFrontMatter } from '../../text/front-matter.ts';

/**
 * Characters with a special meaning in file systems; `:` would make a drive letter of `C:`, and readers that drop a
 * byte order mark would see an absolute path after it.
 */
const SPECIAL = /[<>:"|?*\u0000-\u001f\u007f-\u009f\ufeff]/g;

/**
 * Names the entries of an export `{key}.{lang}.md` so that unpacking stays inside its folder on every system: relative,
 * with `/` between folders, without `..`. Each name is returned only once, ignoring case; a repeated one gets a number.
 */
export class EntryNames {
  /**
   * The names, with the last number that was given to each: many keys may have the same path, and none is tried from 1
   * again.
   */
  readonly #given = new Map<string, number>();

  next(key: string, lang: string): string {
    const path = safePath(key);
    const plain = `${path}.${lang}.md`;
    const identity = plain.toLowerCase();
    for (let i = (this.#given.get(identity) ?? 0) + 1;; i++) {
      const name = i === 1 ? plain : `${path}~${i}.${lang}.md`;
      if (i > 1 && this.#given.has(name.toLowerCase())) continue;
      if (i > 1) this.#given.set(name.toLowerCase(), 1);
      this.#given.set(identity, i);
      return name;
    }
  }
}

function safePath(key: string): string {
  const parts = key.replaceAll('\\', '/').split('/').map(safePart).filter((part) => part !== '');
  return parts.join('/') || '_';
}

/** Removes final dots and spaces, as Windows does; nothing is left of `.` and `..`. */
function safePart(part: string): string {
  return part.replace(SPECIAL, '_').replace(/[. ]+$/, '');
}

type ExportFormat = 'ndjson' | 'zip';

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
