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

/**
 * Lines on disk, with consecutive numbers. The file is created when it is needed, and removed as soon as all of its
 * lines are sent, so that a log that is sent quickly uses no disk space.
 */
export class OverflowFile {
  readonly #open: () => Promise<SpoolFile>;
  #file: SpoolFile | undefined;
  /** Number of the first line in the file. */
  #from = 0;
  /** Start of each line in the file, and the end of the last one. */
  #offsets: number[] = [0];
  #sent = 0;
  #removing: Promise<void> | undefined;

  constructor(open: () => Promise<SpoolFile>) {
    this.#open = open;
  }

  get unsentBytes(): number {
    return this.#offsets.at(-1)! -
      this.#offsets[Math.min(this.#offsets.length - 1, Math.max(0, this.#sent - this.#from))]!;
  }

  /** Appends lines; the first one has this number. Afterwards all of them are stored or, if it rejects, none. */
  async append(from: number, lines: readonly Uint8Array[]): Promise<void> {
    await this.#removing;
    this.#file ??= await this.#open();
    try {
      await this.#file.append(Buffer.concat(lines));
    } catch (error) {
      if (this.#offsets.length === 1) await this.remove(); // a partly written file uses disk space
      throw error;
    }
    if (this.#offsets.length === 1) this.#from = from;
    for (const { length } of lines) this.#offsets.push(this.#offsets.at(-1)! + length);
  }

  async read(from: number, maxLines: number, maxBytes: number): Promise<Uint8Array[]> {
    const first = from - this.#from;
    const offsets = this.#offsets;
    let end = first + 1;
    while (end < offsets.length - 1 && end - first < maxLines && offsets[end + 1]! - offsets[first]! <= maxBytes) end++;
    const begin = offsets[first]!;
    const bytes = await this.#file!.read(begin, offsets[end]! - begin);
    return Array.from({ length: end - first },
      (_, at) => bytes.subarray(offsets[first + at]! - begin, offsets[first + at + 1]! - begin));
  }

  /** Lines before this number are not needed any more. */
  sent(next: number): void {
    this.#sent = next;
    if (this.#offsets.length > 1 && next >= this.#from + this.#offsets.length - 1) void this.remove();
  }

  /** Never rejects. */
  async remove(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    this.#offsets = [0];
    const removing = Promise.all([this.#removing, file?.remove()]).then(() => undefined);
    this.#removing = removing;
    await removing;
  }
}
