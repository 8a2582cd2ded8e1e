import { mkdir, open, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

/** Bytes that are only ever appended. Calls come one after another, reads also while bytes are appended. */
export interface SpoolFile {
  append(bytes: Uint8Array): Promise<void>;
  /** Exactly these bytes, which have been appended. */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** Closes and removes it. Never rejects. */
  remove(): Promise<void>;
}

/** Where the logs of runs wait until the server has them. */
export interface Spools {
  /** Removes what a former process has left: what it held is no longer the ship's. */
  sweep(): Promise<void>;
  create(name: string): Promise<SpoolFile>;
}

/** Spools in a folder that nobody else uses. */
export function createDiskSpools(folder: string): Spools {
  return {
    async sweep() {
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true, mode: 0o700 });
    },
    async create(name) {
      const path = join(folder, name);
      return new DiskSpoolFile(path, await open(path, 'wx+', 0o600));
    },
  };
}

class DiskSpoolFile implements SpoolFile {
  readonly #path: string;
  readonly #handle: FileHandle;
  #end = 0;

  constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  async append(bytes: Uint8Array): Promise<void> {
    // A write may be partial; what a failed one has left is written over by the next.
    for (let written = 0; written < bytes.length;) {
      const { bytesWritten } = await this.#handle.write(bytes, written, bytes.length - written, this.#end + written);
      written += bytesWritten;
    }
    this.#end += bytes.length;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(length);
    for (let got = 0; got < length;) {
      const { bytesRead } = await this.#handle.read(bytes, got, length - got, offset + got);
      if (bytesRead === 0) throw new Error(`the spool ${this.#path} ends before byte ${offset + length}`);
      got += bytesRead;
    }
    return bytes;
  }

  async remove(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
    await rm(this.#path, { force: true }).catch(() => undefined);
  }
}
