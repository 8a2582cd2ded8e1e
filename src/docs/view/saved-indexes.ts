/**
 * The checkpoint of several indexes, one after the other, in pieces that each say how long they are:
 *
 *     index: length of the name (2), name, pieces, 0 (4)
 *     piece: length (4), bytes
 *     end: 0 (2)
 */
export async function* saved(indexes: ReadonlyMap<string, AsyncGenerator<Uint8Array>>): AsyncGenerator<Uint8Array> {
  // An index is saved as it is when its first piece is read, and all must be of one moment.
  const begun = await Promise.all(
    [...indexes].map(async ([name, pieces]) => ({ name: Buffer.from(name), pieces, first: await pieces.next() })),
  );
  try {
    for (const { name, pieces, first } of begun) {
      yield sized(name, 2);
      for (let next = first; next.done !== true; next = await pieces.next()) {
        yield sized(next.value, 4).subarray(0, 4);
        yield next.value;
      }
      yield Buffer.alloc(4);
    }
    yield Buffer.alloc(2);
  } finally {
    // If it is not read to its end, indexes need not keep what they were at its beginning.
    for (const { pieces } of begun) await pieces.return(undefined);
  }
}

function sized(bytes: Uint8Array, width: 2 | 4): Buffer {
  const head = Buffer.alloc(width);
  head.writeUIntLE(bytes.length, 0, width);
  return Buffer.concat([head, bytes]);
}

/** Passes each index of a checkpoint to `restore`. Rejects when it breaks off. */
export async function restoreEach(bytes: AsyncIterable<Uint8Array>,
  restore: (name: string, pieces: AsyncIterable<Uint8Array>) => Promise<void>): Promise<void>
{
  const source = new Source(bytes);
  try {
    for (let length = await source.size(2); length > 0; length = await source.size(2)) {
      const name = (await source.take(length)).toString();
      const pieces = source.pieces();
      // An index may know its end without reading up to that of its pieces, and then it ends the iteration.
      await restore(name, { [Symbol.asyncIterator]: () => ({ next: () => pieces.next() }) });
      for await (const _ of pieces);
    }
  } finally {
    await source.close();
  }
}

class Source {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#pieces = bytes[Symbol.asyncIterator]();
  }

  async size(width: 2 | 4): Promise<number> {
    return (await this.take(width)).readUIntLE(0, width);
  }

  async take(length: number): Promise<Buffer> {
    const parts: Buffer[] = [this.#rest];
    for (let have = this.#rest.length; have < length;) {
      const next = await this.#pieces.next();
      if (next.done === true) throw new Error('the checkpoint ends too early');
      parts.push(Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength));
      have += next.value.length;
    }
    const all = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
    this.#rest = all.subarray(length);
    return all.subarray(0, length);
  }

  /** Those of an index, up to their end. */
  async *pieces(): AsyncGenerator<Uint8Array> {
    for (let length = await this.size(4); length > 0; length = await this.size(4)) yield await this.take(length);
  }

  async close(): Promise<void> {
    await this.#pieces.return?.();
  }
}
