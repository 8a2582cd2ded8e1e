import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { StagingFailure } from '../port.ts';

/** A new file for bytes that the server sends. Failures of the disk are `StagingFailure`s. */
export class HashedFile {
  readonly #file: FileHandle;
  readonly #hash = createHash('sha256');

  static async create(path: string, mode: number): Promise<HashedFile> {
    return new HashedFile(await onDisk(() => open(path, 'wx', mode)));
  }

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes);
    await onDisk(() => this.#file.writeFile(bytes));
  }

  /** Closes it; throws if its bytes have another hash. `what`: names it in the message. */
  async finish(expected: Uint8Array, what: string): Promise<void> {
    await this.close();
    if (!this.#hash.digest().equals(expected)) throw new Error(`the bytes of ${what} have another hash`);
  }

  /** Safe twice. */
  async close(): Promise<void> {
    if (this.#file.fd !== -1) await this.#file.close();
  }
}

/** Rejects with a `StagingFailure` if the disk does not do it. */
export async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new StagingFailure((cause as Error).message, { cause });
  }
}
