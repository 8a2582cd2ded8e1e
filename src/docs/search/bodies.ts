import { crc32 } from 'node:zlib';
import type { BodyCodec } from '../../storage/index.ts';
import type { ResultRow } from './read-rows.ts';

/** A decoded body. Its bytes and checksum are made when a passage of it is shown. */
export class Body {
  readonly text: string;
  #bytes: Buffer | undefined;
  #crc: number | undefined;

  constructor(text: string) {
    this.text = text;
  }

  get bytes(): Buffer {
    return this.#bytes ??= Buffer.from(this.text);
  }

  get crc(): number {
    return this.#crc ??= crc32(this.bytes);
  }
}

/**
 * Bodies of results, of which several may be of one document: each is decoded once, and released when no result needs
 * it any more, because together they may be large.
 */
export class Bodies {
  readonly #codec: BodyCodec;
  readonly #decoded = new Map<number, Body>();
  readonly #uses = new Map<number, number>();

  constructor(codec: BodyCodec, ords: readonly number[]) {
    this.#codec = codec;
    for (const ord of ords) this.#uses.set(ord, (this.#uses.get(ord) ?? 0) + 1);
  }

  /** Call it once for each result; empty if the body was not read. */
  async take({ ord, body }: ResultRow): Promise<Body> {
    const held = this.#decoded.get(ord) ?? new Body(body === null ? '' : await this.#codec.decodeAsync(body));
    const uses = this.#uses.get(ord)! - 1;
    this.#uses.set(ord, uses);
    if (uses > 0) this.#decoded.set(ord, held);
    else this.#decoded.delete(ord);
    return held;
  }
}
