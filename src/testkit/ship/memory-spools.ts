import type { Spools } from '../../ship/index.ts';

/** Spools that fail when the test says so. */
export class MemorySpools implements Spools {
  /** Names of the open spools. */
  readonly open = new Map<string, Buffer>();
  failing = false;

  async sweep(): Promise<void> {
    this.open.clear();
  }

  async create(name: string) {
    this.#check();
    if (this.open.has(name)) throw new Error(`${name} exists`);
    this.open.set(name, Buffer.alloc(0));
    return {
      append: async (bytes: Uint8Array) => {
        this.#check();
        this.open.set(name, Buffer.concat([this.open.get(name)!, bytes]));
      },
      read: async (offset: number, length: number) => {
        this.#check();
        return this.open.get(name)!.subarray(offset, offset + length);
      },
      remove: async () => void this.open.delete(name),
    };
  }

  #check(): void {
    if (this.failing) throw new Error('ENOSPC: no space left on device');
  }
}
