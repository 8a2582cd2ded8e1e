import { openAsBlob } from 'node:fs';
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { freeBytes } from './bytes.ts';

/** Maximum size in bytes of a file that is kept in memory. */
const SMALL_FILE = 64 * 1024;

/** Maximum total size in bytes of the small files of one request; further files are written to disk. */
const SMALL_FILES = 4 * 1024 * 1024;

/** A folder for the files of requests. No file outlives its request. */
export class SpoolFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** The files of one request. Nothing is created on disk before it is needed. */
  open(): Spool {
    return new Spool(this.path);
  }

  /** Removes everything: files left by a process that was killed, or the folder itself when the server stops. */
  async clear(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}

/** What is stored of a file that is being received. */
interface Incoming {
  readonly name: string;
  readonly type?: string | undefined;
  /** Maximum number of bytes. Of a longer file, one byte more is kept; the remaining bytes are read and dropped. */
  readonly maxBytes: number;
  /** Whether nothing else holds the pieces. They are then freed as soon as they are stored. */
  readonly ownsPieces?: boolean;
}

/** Files that arrive in pieces and are read later as `File`s: small ones are kept in memory, others on disk. */
export class Spool {
  readonly #root: string;
  #folder: Promise<string> | undefined;
  #files = 0;
  #inMemory = 0;
  #isRemoved = false;

  constructor(root: string) {
    this.#root = root;
  }

  /** Reads a source to its end. Rejects with the error of the source or of the disk. */
  async store(source: AsyncIterable<Uint8Array>,
    { name, type = '', maxBytes, ownsPieces = false }: Incoming): Promise<File>
  {
    const writer = new Writer(() => this.#newPath(), () => SMALL_FILES - this.#inMemory);
    try {
      let size = 0;
      for await (const bytes of source) {
        const kept = bytes.subarray(0, Math.max(0, maxBytes + 1 - size));
        size += kept.length;
        if (kept.length > 0) await writer.write(kept);
        if (ownsPieces) freeBytes(bytes);
      }
    } finally {
      await writer.close();
    }
    if (writer.path === undefined) {
      this.#inMemory += writer.size;
      return new File(writer.chunks, name, { type });
    }
    return new File([await openAsBlob(writer.path)], name, { type });
  }

  /** Removes the files; reading one of them fails from then on. May be called again. */
  async remove(): Promise<void> {
    this.#isRemoved = true;
    const folder = this.#folder;
    this.#folder = undefined;
    if (folder !== undefined) await rm(await folder, { recursive: true, force: true });
  }

  async #newPath(): Promise<string> {
    if (this.#isRemoved) throw new Error('the files of this request were removed');
    this.#folder ??= mkdir(this.#root, { recursive: true, mode: 0o700 }).then(() =>
      mkdtemp(join(this.#root, 'request-'))
    );
    return join(await this.#folder, String(this.#files++));
  }
}

/** Keeps pieces in memory until there are too many of them. */
class Writer {
  readonly #newPath: () => Promise<string>;
  readonly #room: () => number;
  #handle: Awaited<ReturnType<typeof open>> | undefined;
  chunks: Uint8Array<ArrayBuffer>[] = [];
  size = 0;
  /** Path of the file; undefined while it is in memory. */
  path: string | undefined;

  constructor(newPath: () => Promise<string>, room: () => number) {
    this.#newPath = newPath;
    this.#room = room;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.size += bytes.length;
    if (this.#handle === undefined) {
      // Copied, because a piece may be part of a larger buffer or may be reused.
      this.chunks.push(Uint8Array.from(bytes));
      if (this.size <= Math.min(SMALL_FILE, this.#room())) return;
      this.path = await this.#newPath();
      this.#handle = await open(this.path, 'wx', 0o600);
      const chunks = this.chunks;
      this.chunks = [];
      for (const chunk of chunks) await this.#handle.writeFile(chunk);
    } else {
      await this.#handle.writeFile(bytes);
    }
  }

  async close(): Promise<void> {
    await this.#handle?.close();
  }
}
