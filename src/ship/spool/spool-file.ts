import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** A file that is only appended to. Appends run one after another; reads may run at the same time. */
export interface SpoolFile {
  append(bytes: Uint8Array): Promise<void>;
  /** Returns exactly these bytes, which must have been appended. */
  read(offset: number, length: number): Promise<Uint8Array>;
  /** Closes and removes it. Never rejects. */
  remove(): Promise<void>;
}

/** Stores the logs of runs until the server has them. */
export interface Spools {
  /** Removes the files of a former process: this ship no longer holds its runs. */
  sweep(): Promise<void>;
  create(name: string): Promise<SpoolFile>;
}

/** Spools in a folder that no other process uses. */
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
    // A write may be partial; the next one overwrites what a failed one has left.
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
