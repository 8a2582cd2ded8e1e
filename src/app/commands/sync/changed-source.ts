import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { Source, SourceItem } from '../import/source.ts';
import { CHECKSUM, identityOf, type RemoteDocument } from './remote-documents.ts';

/** The result of comparing a folder with a collection so far. */
export class Comparison {
  readonly #remote: ReadonlyMap<string, RemoteDocument>;
  readonly #local = new Set<string>();
  /** Keys of files that could not be read: it is unknown whether their documents have changed. */
  readonly #unread = new Set<string>();
  /** Documents that the collection lacks, and those that have changed, by the paths of their files. */
  readonly added: string[] = [];
  readonly updated: string[] = [];
  unchanged = 0;

  constructor(remote: ReadonlyMap<string, RemoteDocument>) {
    this.#remote = remote;
  }

  /** Documents without a file. Complete only after all files are read. */
  get orphans(): RemoteDocument[] {
    return [...this.#remote].filter(([id, { key }]) => !this.#local.has(id) && !this.#unread.has(key.toLowerCase()))
      .map(([, document]) => document);
  }

  /** The item with its checksum, or marked to be skipped if the collection already has it in this form. */
  take(item: SourceItem, checksum: string): SourceItem {
    if (item.kind !== 'document') return item;
    const id = identityOf(item.document);
    const found = this.#remote.get(id);
    this.#local.add(id);
    if (found?.checksum === checksum) {
      this.unchanged++;
      return { kind: 'skipped', origin: item.origin, position: item.position };
    }
    (found === undefined ? this.added : this.updated).push(item.origin);
    return { ...item, document: { ...item.document, meta: { ...item.document.meta, [CHECKSUM]: [checksum] } } };
  }

  /** A file that cannot be read, by the key that it would have. */
  miss(key: string): void {
    this.#unread.add(key.toLowerCase());
  }
}

/** A source of files without those that the collection already has. */
export function changedSource(folder: string, source: Source, comparison: Comparison,
  keyOf: (path: string) => string): Source
{
  return {
    ...source,
    async *items(signal) {
      for await (const item of source.items(signal)) {
        if (item.kind === 'document') yield await compared(folder, item, comparison, keyOf);
        else {
          comparison.miss(keyOf(item.origin));
          yield item;
        }
      }
    },
  };
}

async function compared(folder: string, item: SourceItem & { kind: 'document' }, comparison: Comparison,
  keyOf: (path: string) => string): Promise<SourceItem>
{
  const { origin, position } = item;
  try {
    // The comparison is by identity, which includes the language of the request if the file has none, and by the
    // checksum.
    return comparison.take(item, await checksumOf(join(folder, origin)));
  } catch (error) {
    comparison.miss(keyOf(origin));
    return { kind: 'problem', origin, position, problem: `cannot be read: ${(error as Error).message}` };
  }
}

/** SHA-256 of a file's bytes, as hexadecimal digits. */
async function checksumOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const bytes of createReadStream(file)) hash.update(bytes as Buffer);
  return hash.digest('hex');
}
