import { decodeBody, decodeBodyAsync, DEFAULT_COMPRESSION, encodeBody, type CompressionOptions } from './codec.ts';

/** Between the text of a body and its stored form, with the compression that the settings ask for. */
export class BodyCodec {
  readonly #compression: CompressionOptions;

  constructor(compression: CompressionOptions = DEFAULT_COMPRESSION) {
    this.#compression = compression;
  }

  /** The stored form. Call it before the transaction: a large body takes its time in the thread pool. */
  encode(text: string): Promise<Uint8Array> {
    return encodeBody(Buffer.from(text, 'utf8'), this.#compression);
  }

  /** The text of a stored form, whatever settings it was written with; throws `internal` when it is sealed or damaged. */
  decode(stored: Uint8Array): string {
    return toText(decodeBody(stored));
  }

  /** As `decode`, with large bodies decompressed in the thread pool. */
  async decodeAsync(stored: Uint8Array): Promise<string> {
    return toText(await decodeBodyAsync(stored));
  }
}

function toText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
