import { convertPage, type WikiDocument } from './convert-page.ts';
import { PageReader } from './page-reader.ts';
import { WikiDumpError, type WikiPage } from './page.ts';

export interface DumpOptions {
  /** Numbers of the namespaces whose pages are converted. */
  readonly namespaces: readonly number[];
  /** Whether pages that only redirect are left out. */
  readonly skipRedirects: boolean;
  /** Number of pages in a batch. */
  readonly batchSize: number;
  /** Number of pages to convert, after which reading stops. */
  readonly maxPages?: number | undefined;
  /** Maximum number of pages; a dump with more is refused. 0 for no limit. */
  readonly pageLimit: number;
  /** Maximum number of bytes of XML; a dump with more is refused. 0 for no limit. */
  readonly byteLimit: number;
}

/** Pages that are converted together. */
export interface DumpBatch {
  readonly documents: readonly WikiDocument[];
  /** Pages that were left out since the previous batch. */
  readonly skipped: number;
  /** For each document, the number of its page in the dump, from 0. */
  readonly indexes: readonly number[];
}

const DECODED_AT_ONCE = 32 * 1024;

/**
 * A batch ends when its pages have this number of characters. Several batches are in memory at once, each as strings in
 * two threads and as a message between them.
 */
const BATCH_CHARACTERS = 200_000;

/**
 * Yields the pages of a dump as documents, in its order, while its XML arrives.
 * @throws {WikiDumpError} if the dump is invalid; the pages before the error have been yielded.
 */
export async function* readDump(xml: AsyncIterable<Uint8Array>, options: DumpOptions): AsyncGenerator<DumpBatch> {
  const batches = new Batches(options);
  const reader = new PageReader();
  try {
    for await (const pages of readPages(xml, reader, options.byteLimit)) {
      for (const page of pages) {
        if (!batches.add(page, reader)) continue;
        yield batches.take();
        if (batches.isComplete) return;
      }
      if (batches.isComplete) return;
    }
  } catch (error) {
    if (!batches.isEmpty) yield batches.take();
    throw error;
  }
  if (!batches.isEmpty) yield batches.take();
}

async function* readPages(xml: AsyncIterable<Uint8Array>, reader: PageReader,
  byteLimit: number): AsyncGenerator<WikiPage[]>
{
  const decoder = new TextDecoder();
  let bytes = 0;
  for await (const piece of xml) {
    bytes += piece.length;
    if (byteLimit > 0 && bytes > byteLimit)
      throw new WikiDumpError(`the dump has more than ${byteLimit} bytes of XML`, { isTooLarge: true });
    // Short texts are garbage-collected soon; long ones stay until memory is scarce.
    for (let at = 0; at < piece.length; at += DECODED_AT_ONCE)
      yield reader.read(decoder.decode(piece.subarray(at, at + DECODED_AT_ONCE), { stream: true }));
  }
  yield reader.read(decoder.decode());
  yield reader.end();
}

class Batches {
  readonly #options: DumpOptions;
  readonly #namespaces: ReadonlySet<number>;
  #documents: WikiDocument[] = [];
  #indexes: number[] = [];
  #characters = 0;
  #skipped = 0;
  #pages = 0;
  #converted = 0;

  constructor(options: DumpOptions) {
    this.#options = options;
    this.#namespaces = new Set(options.namespaces);
  }

  get isEmpty(): boolean {
    return this.#documents.length === 0 && this.#skipped === 0;
  }

  /** Whether the requested number of pages has been converted. */
  get isComplete(): boolean {
    return this.#options.maxPages !== undefined && this.#converted >= this.#options.maxPages;
  }

  /** Adds a page; returns whether the batch is complete. */
  add(page: WikiPage, { site }: PageReader): boolean {
    const { pageLimit, skipRedirects, batchSize } = this.#options;
    const index = this.#pages++;
    if (pageLimit > 0 && this.#pages > pageLimit)
      throw new WikiDumpError(`the dump has more than ${pageLimit} pages`, { isTooLarge: true });
    if (!this.#namespaces.has(page.ns)) return this.#skip();
    const document = convertPage(page, site);
    // Keys that differ only in case identify the same document, which a redirect to it would overwrite.
    if (document.redirect !== undefined &&
      (skipRedirects || document.redirect.toLowerCase() === document.key.toLowerCase())) return this.#skip();
    this.#documents.push(document);
    this.#indexes.push(index);
    this.#characters += document.contentMd.length;
    this.#converted++;
    return this.#documents.length >= batchSize || this.#characters >= BATCH_CHARACTERS || this.isComplete;
  }

  #skip(): boolean {
    this.#skipped++;
    return false;
  }

  take(): DumpBatch {
    const batch = { documents: this.#documents, skipped: this.#skipped, indexes: this.#indexes };
    [this.#documents, this.#indexes, this.#characters, this.#skipped] = [[], [], 0, 0];
    return batch;
  }
}
