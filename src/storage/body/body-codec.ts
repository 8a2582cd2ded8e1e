import { crc32 } from 'node:zlib';
import { type CompressionOptions, corrupt, decodeBody, decodeBodyAsync, DEFAULT_COMPRESSION, encodeBody, FLAGS,
  isCompressedAtOnce } from './codec.ts';
import { type Encoder, sharedEncoder } from './encoder.ts';
import { type BodyObjects, isReference, readReference } from './reference.ts';

/** A body ready to be stored. */
export interface EncodedBody {
  /** What the database stores: the compression record, or a reference. */
  readonly stored: Uint8Array;
  /** The value of the column `backend`, which says where the body is kept; absent if the database holds it. */
  readonly backend?: string;
  /** CRC-32 of its UTF-8. */
  readonly crc: number;
  /** Length of its UTF-8. */
  readonly bytes: number;
  /** The text as it was passed in. */
  readonly text: string;
}

/** At this many bodies or more, the encoding thread is worth the transfer. */
const WORTH_THE_WAY = 16;

/** At most this many bodies, and this many bytes, are fetched together before they are read one by one. */
const FETCHED_AHEAD = 64;
const FETCHED_BYTES = 8 * 2 ** 20;

/** Converts bodies between their text and their stored form, with the configured compression. */
export class BodyCodec {
  readonly #compression: CompressionOptions;
  readonly #encoder: Pick<Encoder, 'encode'>;
  #objects: BodyObjects | undefined;

  /** Tests may pass another encoder. */
  constructor(compression: CompressionOptions = DEFAULT_COMPRESSION, encoder: Pick<Encoder, 'encode'> = sharedEncoder) {
    this.#compression = compression;
    this.#encoder = encoder;
  }

  /** Fetches and stores bodies that are kept outside the database. */
  connect(objects: BodyObjects): void {
    this.#objects = objects;
  }

  /** Returns the stored form. Call it before the transaction, because a large body is compressed in the thread pool. */
  async encode(text: string): Promise<Uint8Array> {
    return encodeBody(Buffer.from(text, 'utf8'), this.#compression);
  }

  /**
   * Returns the stored forms of many bodies, with the values that are stored beside them. Bodies of medium size are
   * compressed in a separate thread.
   */
  async encodeAll(texts: readonly string[]): Promise<EncodedBody[]> {
    const elsewhere = texts.length < WORTH_THE_WAY
      ? []
      : texts.filter((text) => isCompressedAtOnce(Buffer.byteLength(text), this.#compression));
    const encoded = elsewhere.length < WORTH_THE_WAY ? [] : await this.#encodeElsewhere(elsewhere);
    let next = 0;
    return settled(texts.map((text) => (encoded[next]?.text === text ? encoded[next++]! : this.#encodeHere(text))));
  }

  /**
   * As `encodeAll`, but stores the bodies where the collection keeps them. Rejects with `BodyUnavailable`; then the
   * caller must not write anything.
   */
  async encodeFor(collection: string, texts: readonly string[]): Promise<EncodedBody[]> {
    const encoded = await this.encodeAll(texts);
    const placing = this.#objects?.place(collection, encoded.map(({ stored }) => stored));
    const placed = placing && await placing;
    return placed === undefined
      ? encoded
      : encoded.map((body, i) => ({ ...body, stored: placed[i]!.reference, backend: placed[i]!.backend }));
  }

  /**
   * Fetches bodies that are kept elsewhere together, before they are read one by one. Never rejects: an error is thrown
   * when the body that it concerns is read.
   */
  async fetchAhead(bodies: readonly (Uint8Array | null)[]): Promise<void> {
    let left = FETCHED_BYTES;
    const elsewhere = bodies.filter((body) => body !== null && isReference(body)).slice(0, FETCHED_AHEAD).filter((
      body,
    ) => (left -= readReference(body!).length) >= 0);
    if (elsewhere.length > 1) await Promise.allSettled(elsewhere.map((body) => this.#whole(body!)));
  }

  /** The compression record of a body, which may be kept elsewhere; rejects as `BodyObjects.fetch` does. */
  async recordOf(body: Uint8Array): Promise<Uint8Array> {
    return this.#whole(body);
  }

  /** The compression record. */
  #whole(stored: Uint8Array): Uint8Array | Promise<Uint8Array> {
    if (!isReference(stored)) return stored;
    if (this.#objects === undefined) throw corrupt('it is kept elsewhere, and nothing says where');
    return this.#objects.fetch(stored);
  }

  #encodeHere(text: string): EncodedBody | Promise<EncodedBody> {
    const utf8 = Buffer.from(text, 'utf8');
    const encoded = (stored: Uint8Array): EncodedBody => ({ stored, crc: crc32(utf8), bytes: utf8.length, text });
    const stored = encodeBody(utf8, this.#compression);
    return stored instanceof Promise ? stored.then(encoded) : encoded(stored);
  }

  /** Undefined when the thread fails. */
  async #encodeElsewhere(texts: readonly string[]): Promise<EncodedBody[]> {
    try {
      const { bytes, ends, crcs } = await this.#encoder.encode(texts, this.#compression);
      return texts.map((text, i) => ({
        stored: bytes.subarray(i === 0 ? 0 : ends[i - 1]!, ends[i]!),
        crc: crcs[i]!,
        bytes: Buffer.byteLength(text),
        text,
      }));
    } catch {
      return [];
    }
  }

  /**
   * Returns the text of a stored form that the database holds, whatever settings it was written with; throws `internal`
   * when it is encrypted or damaged.
   */
  decode(stored: Uint8Array): string {
    return toBuffer(decodeBody(stored)).toString('utf8');
  }

  /**
   * As `decode`, but also for bodies that are kept elsewhere. Large ones are decompressed in the thread pool. Rejects
   * also as `BodyObjects.fetch` does.
   */
  async decodeAsync(body: Uint8Array): Promise<string> {
    return (await this.bytesAsync(body)).toString('utf8');
  }

  /**
   * The text of a body that needs neither decompression nor a look elsewhere; otherwise undefined. Spares small bodies
   * the promises of `decodeAsync`. Throws as `decode` does.
   */
  decodeNow(body: Uint8Array): string | undefined {
    return body[0] === FLAGS.raw && !isReference(body) ? this.decode(body) : undefined;
  }

  /** The UTF-8 of a stored form, for callers that need only a part of it. Throws as `decodeAsync` does. */
  async bytesAsync(body: Uint8Array): Promise<Buffer> {
    return toBuffer(await decodeBodyAsync(isReference(body) ? await this.#whole(body) : body));
  }
}

/** Without a promise for each body if none has to be waited for. */
function settled<T extends object>(bodies: readonly (T | Promise<T>)[]): Promise<T[]> | T[] {
  return bodies.some((body) => body instanceof Promise) ? Promise.all(bodies) : bodies as T[];
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
