import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const MAGIC = 'SQLite format 3\0';
const UTF8 = 1;

/**
 * The pages of an SQLite file, read without SQLite (https://www.sqlite.org/fileformat2.html), because SQLite stops
 * where a page is damaged.
 */
export class Pages {
  readonly #file: number;
  readonly size: number;
  /** Bytes of a page that can hold content. */
  readonly usable: number;
  readonly count: number;
  /** First trunk page of the list of free pages; 0 when there is none. */
  readonly firstFree: number;

  /** Throws when the header of the file is not that of a readable database. */
  constructor(path: string) {
    this.#file = openSync(path, 'r');
    try {
      const head = this.#read(0, 100);
      if (head.toString('latin1', 0, MAGIC.length) !== MAGIC)
        throw new Error('its head is not that of an SQLite database');
      const size = head.readUInt16BE(16);
      this.size = size === 1 ? 65_536 : size;
      if (this.size < 512 || (this.size & (this.size - 1)) !== 0)
        throw new Error(`its head claims pages of ${this.size} bytes`);
      if (head.readUInt32BE(56) !== UTF8) throw new Error('its texts are not UTF-8');
      this.usable = this.size - head[20]!;
      this.count = Math.floor(fstatSync(this.#file).size / this.size);
      this.firstFree = head.readUInt32BE(32);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Returns a page by its number, from 1; undefined when it is beyond the file or cannot be read from the disk. */
  page(number: number): Buffer | undefined {
    if (number < 1 || number > this.count) return undefined;
    try {
      return this.#read((number - 1) * this.size, this.size);
    } catch {
      return undefined;
    }
  }

  /** Numbers of the pages in the free list, whose content was deleted; undefined when the list is damaged. */
  free(): Set<number> | undefined {
    const free = new Set<number>();
    for (let trunk = this.firstFree; trunk !== 0;) {
      const page = free.has(trunk) ? undefined : this.page(trunk);
      const leaves = page?.readUInt32BE(4) ?? Infinity;
      if (page === undefined || leaves > this.usable / 4 - 2) return undefined;
      free.add(trunk);
      for (let i = 0; i < leaves; i++) free.add(page.readUInt32BE(8 + 4 * i));
      trunk = page.readUInt32BE(0);
    }
    return free;
  }

  close(): void {
    closeSync(this.#file);
  }

  #read(position: number, length: number): Buffer {
    const bytes = Buffer.alloc(length);
    if (readSync(this.#file, bytes, 0, length, position) !== length) throw new Error('the file ends too early');
    return bytes;
  }
}
