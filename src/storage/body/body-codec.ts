import { decodeBody, decodeBodyAsync, DEFAULT_COMPRESSION, encodeBody, type CompressionOptions } from './codec.ts';
import { DecodedBodies } from './decoded-bodies.ts';
import { FLAGS } from './record.ts';

/** Between the text of a body and its stored form, with the compression that the settings ask for. */
export class BodyCodec {
  readonly #compression: CompressionOptions;
  readonly #decoded = new DecodedBodies();

  constructor(compression: CompressionOptions = DEFAULT_COMPRESSION) {
    this.#compression = compression;
  }

  /** The stored form. Call it before the transaction: a large body takes its time in the thread pool. */
  encode(text: string): Promise<Uint8Array> {
    return encodeBody(Buffer.from(text, 'utf8'), this.#compression);
  }

  /** The text of a stored form, whatever settings it was written with; throws `internal` when it is sealed or damaged. */
  decode(stored: Uint8Array): string {
    return this.#known(stored) ?? this.#remember(stored, toText(decodeBody(stored)));
  }

  /** As `decode`, with large bodies decompressed in the thread pool. */
  async decodeAsync(stored: Uint8Array): Promise<string> {
    return this.#known(stored) ?? this.#remember(stored, toText(await decodeBodyAsync(stored)));
  }

  /** A raw body is its own text; looking it up would cost more than it saves. */
  #known(stored: Uint8Array): string | undefined {
    return stored[0] === FLAGS.raw ? undefined : this.#decoded.get(stored);
  }

  #remember(stored: Uint8Array, text: string): string {
    if (stored[0] !== FLAGS.raw) this.#decoded.set(stored, text);
    return text;
  }
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
