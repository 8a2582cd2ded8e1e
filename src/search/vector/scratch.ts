/** An allocator: a segment, or the interface of it that structures have. */
interface Allocator {
  allocateScratch(bytes: number): number;
  release(address: number, bytes: number): void;
}

/** Memory for one operation, freed all at once. */
export class Scratch {
  readonly #owner: Allocator;
  readonly #chunks: [address: number, bytes: number][] = [];

  constructor(owner: Allocator) {
    this.#owner = owner;
  }

  allocate(bytes: number): number {
    const address = this.#owner.allocateScratch(bytes);
    this.#chunks.push([address, bytes]);
    return address;
  }

  /** Takes ownership of a chunk that another object has allocated. */
  adopt(address: number, bytes: number): void {
    this.#chunks.push([address, bytes]);
  }

  release(): void {
    for (const [address, bytes] of this.#chunks.splice(0)) this.#owner.release(address, bytes);
  }
}
