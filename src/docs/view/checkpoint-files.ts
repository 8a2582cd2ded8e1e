import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { DirectSource } from '../../lib/checked-blocks.ts';
import { durableRename } from '../../lib/files.ts';
import { readPart } from '../../net/objects.ts';
import { type KeyRing, openStream, sealStream, type Sql } from '../../storage/index.ts';

/** The header of a checkpoint, in JSON after the magic and the length. */
export interface CheckpointHeader {
  readonly collection: string;
  /**
   * The last change of the feed that is certainly included, and its time, which distinguishes the feeds of different
   * databases.
   */
  readonly lsn: number;
  readonly at: number;
  /** Whether the index is an encrypted stream, bound to this header. */
  readonly sealed?: true;
  /**
   * The newest change that may be included, of a database that may be promoted or restored without its latest commits.
   */
  readonly newest?: FeedPlace;
  /** The database (`Sql.info.identity`), if the files are not beside it. */
  readonly database?: string;
}

/** A change of the feed by its number and its time. */
export type FeedPlace = Pick<CheckpointHeader, 'lsn' | 'at'>;

/**
 * A position of the feed up to which no change concerns the collection of a checkpoint that was written at an earlier
 * one.
 */
export interface Confirmation extends FeedPlace {
  readonly written: FeedPlace;
}

/** The index of a checkpoint; `close` it when it is read, or no longer needed. */
interface StoredIndex extends AsyncIterable<Uint8Array> {
  close(): Promise<void>;
}

/** A checkpoint as it is in its file, which stays readable when the file is replaced; `close` it in the end. */
export interface StoredFile {
  readonly header: CheckpointHeader;
  /** Bytes of the index. */
  readonly length: number;
  /** These bytes of the index, from a place on. */
  read(at: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Length of the magic, which names the content of a file and the version of this layout. */
const MAGIC_LENGTH = 8;
const HEADER_START = MAGIC_LENGTH + 4;
const MAX_HEADER = 4096;
const CHECKPOINT = '.idx';
const DRAFT = '.tmp';
const CONFIRMED = 'confirmed.json';
const PIECE = 1024 * 1024;

/**
 * The checkpoints of one view of a database, in a folder of their own, one file per collection:
 *
 *     magic (8 bytes) | length of the header (u32 LE) | header (JSON) | index, as its own format has it
 *
 * The checkpoint of an encrypted collection is encrypted, except its header, which names the collection.
 *
 * They only save time: one that is missing, damaged or of something else is ignored.
 */
export class CheckpointFiles {
  readonly #folder: string;
  readonly magic: string;
  readonly #readOnly: boolean;
  readonly #database: string | undefined;

  /**
   * The magic has 8 ASCII letters, and differs between kinds of views. With `readOnly`, files are not changed, because
   * another process maintains them. With `database`, checkpoints of other databases are ignored.
   */
  constructor(folder: string, magic: string,
    { readOnly = false, database }: { readonly readOnly?: boolean; readonly database?: string } = {})
  {
    this.#database = database;
    if (magic.length !== MAGIC_LENGTH) throw new Error(`a magic of ${MAGIC_LENGTH} letters is needed, got "${magic}"`);
    this.#folder = folder;
    this.magic = magic;
    this.#readOnly = readOnly;
  }

  /**
   * The files beside a database, or in the place that a server's database has for the files of this process, in a
   * folder with its name and this ending; undefined for a database in memory.
   */
  static beside({ info }: Pick<Sql, 'info'>, ending: string, magic: string): CheckpointFiles | undefined {
    const { ownFiles, identity } = info;
    if (ownFiles !== undefined && identity !== undefined)
      return new CheckpointFiles(`${ownFiles}.${ending}`, magic, { database: identity });
    if (info.driver !== 'node:sqlite' || info.path === ':memory:') return undefined;
    return new CheckpointFiles(join(dirname(info.path), `${basename(info.path)}.${ending}`), magic, {
      readOnly: info.readOnly === true,
    });
  }

  /** The header of a collection's checkpoint; undefined when there is none that can be used. */
  async header(collection: string): Promise<CheckpointHeader | undefined> {
    return (await this.#read(collection))?.header;
  }

  /**
   * The index of a checkpoint, whose format detects damage; undefined when there is none, or an encrypted one and no
   * keys.
   */
  async load(collection: string, keys?: KeyRing): Promise<StoredIndex | undefined> {
    const found = await this.#read(collection);
    if (found === undefined || (found.header.sealed === true && keys === undefined)) return undefined;
    const { header, end } = found;
    const index = new FileBytes(await open(this.#pathOf(collection)), end);
    if (header.sealed !== true) return index;
    const opened = openStream(keys!, this.#boundTo(header), index);
    return { [Symbol.asyncIterator]: () => opened, close: () => index.close() };
  }

  /**
   * Replaces the checkpoint so that a crash leaves either the old or the new one; with keys, it is encrypted. `newest`
   * is called when the state of the index that is saved is fixed.
   */
  async save(plain: CheckpointHeader, index: AsyncIterable<Uint8Array>, keys?: KeyRing,
    newest?: () => Promise<FeedPlace | undefined>): Promise<void>
  {
    if (this.#readOnly) return;
    const header: CheckpointHeader = {
      ...plain,
      ...(keys && { sealed: true }),
      ...(this.#database !== undefined && { database: this.#database }),
    };
    const content = keys === undefined ? index : sealStream(keys, this.#boundTo(header), index);
    const complete = async (): Promise<CheckpointHeader> => {
      const place = await newest?.();
      return place === undefined ? header : { ...header, newest: place };
    };
    await this.#replace(this.#pathOf(header.collection), withHeader(this.magic, complete, content));
  }

  /** The checkpoint of a collection as it is stored; undefined when there is none. */
  async open(collection: string): Promise<StoredFile | undefined> {
    const file = await open(this.#pathOf(collection)).catch(() => undefined);
    if (file === undefined) return undefined;
    try {
      const found = await this.#headerOf(file, collection);
      if (found !== undefined) {
        const { header, end } = found;
        const { size } = await file.stat();
        return {
          header,
          length: size - end,
          read: (at, length) => readPart(file, end + at, length),
          close: () => file.close(),
        };
      }
    } catch (error) {
      await file.close();
      throw error;
    }
    await file.close();
    return undefined;
  }

  /** Replaces the checkpoint by one that was stored elsewhere, as `open` returned it there. */
  async receive(header: CheckpointHeader, index: AsyncIterable<Uint8Array>): Promise<void> {
    await this.#replace(this.#pathOf(header.collection), withHeader(this.magic, async () => header, index));
  }

  /** Whether files are only read here. */
  get isReadOnly(): boolean {
    return this.#readOnly;
  }

  /** What `confirm` recorded last, by collection; empty when that cannot be read. */
  async confirmed(): Promise<ReadonlyMap<string, Confirmation>> {
    const text = await readFile(join(this.#folder, CONFIRMED), 'utf8').catch(() => '');
    return new Map(Object.entries((parseJson(text) ?? {}) as Record<string, Confirmation>));
  }

  /**
   * Records that checkpoints are still valid at later positions, replacing the previous record: cheaper than writing
   * them again.
   */
  async confirm(confirmations: ReadonlyMap<string, Confirmation>): Promise<void> {
    if (this.#readOnly) return;
    await this.#replace(join(this.#folder, CONFIRMED), JSON.stringify(Object.fromEntries(confirmations)));
  }

  async #replace(path: string, content: AsyncIterable<Uint8Array> | string): Promise<void> {
    const draft = `${path}.${randomBytes(4).toString('hex')}${DRAFT}`;
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    try {
      await writeFile(draft, content, { mode: 0o600 });
      await durableRename(draft, path);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }

  async remove(collection: string): Promise<void> {
    if (!this.#readOnly) await rm(this.#pathOf(collection), { force: true });
  }

  /** Removes files of a process that died while it wrote, and checkpoints of all other collections. */
  async clean(collections: Iterable<string>): Promise<void> {
    if (this.#readOnly) return;
    const kept = new Set([...collections].map((collection) => basename(this.#pathOf(collection))));
    const names = await readdir(this.#folder).catch(() => []);
    for (const name of names) {
      const stale = name.endsWith(DRAFT) || (name.endsWith(CHECKPOINT) && !kept.has(name));
      if (stale) await rm(join(this.#folder, name), { force: true });
    }
  }

  async #read(collection: string): Promise<{ header: CheckpointHeader; end: number } | undefined> {
    const file = await open(this.#pathOf(collection)).catch(() => undefined);
    if (file === undefined) return undefined;
    try {
      return await this.#headerOf(file, collection);
    } finally {
      await file.close();
    }
  }

  async #headerOf(file: FileHandle,
    collection: string): Promise<{ header: CheckpointHeader; end: number } | undefined>
  {
    const start = Buffer.alloc(HEADER_START + MAX_HEADER);
    const { bytesRead } = await file.read(start, 0, start.length, 0);
    const found = parseHeader(start.subarray(0, bytesRead), this.magic, collection);
    return found?.header.database === this.#database ? found : undefined;
  }

  /** The additional data of an encrypted index: it cannot be decrypted with another header. */
  #boundTo({ collection, lsn, at }: CheckpointHeader): string {
    return JSON.stringify([this.magic, collection, lsn, at]);
  }

  /** Names of collections may contain characters that file names can't. */
  #pathOf(collection: string): string {
    const plain = /^[a-z0-9_-]{1,64}$/.test(collection);
    return join(this.#folder,
      `${plain ? collection : `~${createHash('sha256').update(collection).digest('hex').slice(0, 32)}`}${CHECKPOINT}`);
  }
}

/** The bytes of a file from a place on. */
class FileBytes implements StoredIndex, DirectSource {
  readonly #file: FileHandle;
  #at: number;

  constructor(file: FileHandle, at: number) {
    this.#file = file;
    this.#at = at;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const piece = Buffer.allocUnsafe(PIECE);
      const bytes = await this.fill([piece]);
      if (bytes === 0) return;
      yield piece.subarray(0, bytes);
    }
  }

  async fill(buffers: readonly Uint8Array[]): Promise<number> {
    const { bytesRead } = await this.#file.readv(buffers, this.#at);
    this.#at += bytesRead;
    return bytesRead;
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** The header is completed when the first piece of the index has been read. */
async function* withHeader(magic: string, complete: () => Promise<CheckpointHeader>,
  index: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array>
{
  const start = Buffer.alloc(HEADER_START);
  let isBegun = false;
  const head = async (): Promise<Uint8Array> => {
    const json = Buffer.from(JSON.stringify(await complete()));
    start.write(magic, 'latin1');
    start.writeUInt32LE(json.length, MAGIC_LENGTH);
    return Buffer.concat([start, json]);
  };
  for await (const piece of index) {
    if (!isBegun) yield head();
    isBegun = true;
    yield piece;
  }
  if (!isBegun) yield head();
}

function parseHeader(file: Buffer, magic: string, collection: string): { header: CheckpointHeader; end: number }
  | undefined
{
  if (file.length < HEADER_START || file.toString('latin1', 0, MAGIC_LENGTH) !== magic) return undefined;
  const end = HEADER_START + file.readUInt32LE(MAGIC_LENGTH);
  if (end > file.length) return undefined;
  const header = parseJson(file.toString('utf8', HEADER_START, end)) as CheckpointHeader | undefined;
  return header?.collection === collection && Number.isSafeInteger(header.lsn) ? { header, end } : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
