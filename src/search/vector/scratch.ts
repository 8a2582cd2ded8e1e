/** Whatever hands out memory: a segment, or the part of it that structures see. */
interface Allocator {
  allocateScratch(bytes: number): number;
  release(address: number, bytes: number): void;
}

/** Memory that one operation needs, given back all at once. */
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

  /** Takes over a chunk that another allocated. */
  adopt(address: number, bytes: number): void {
    this.#chunks.push([address, bytes]);
  }

  release(): void {
    for (const [address, bytes] of this.#chunks.splice(0)) this.#owner.release(address, bytes);
  }
}
