import { crc32 } from 'node:zlib';
import type { BodyObjects } from './body-objects.ts';
import { decodeBody, decodeBodyAsync, DEFAULT_COMPRESSION, encodeBody, isCompressedAtOnce, type CompressionOptions } from './codec.ts';
import { DecodedBodies, type DecodedBody } from './decoded-bodies.ts';
import { sharedEncoder, type Encoder } from './encoder.ts';
import { corrupt, FLAGS } from './record.ts';
import { isReference, readReference } from './reference.ts';

/** A body ready to be stored. */
export interface EncodedBody {
  /** What the database holds: the compression record, or a reference. */
  readonly stored: Uint8Array;
  /** What the database says of where it is, absent for the database itself. */
  readonly backend?: string;
  /** CRC-32 of its UTF-8. */
  readonly crc: number;
  /** Length of its UTF-8. */
  readonly bytes: number;
  /** As it was given. */
  readonly text: string;
}

/** The way to the encoding thread and back pays from so many bodies on. */
const WORTH_THE_WAY = 16;

/** Bodies fetched together before they are read one by one, and their bytes. */
const FETCHED_AHEAD = 64;
const FETCHED_BYTES = 8 * 2 ** 20;

/** Between the text of a body and its stored form, with the compression that the settings ask for. */
export class BodyCodec {
  readonly #compression: CompressionOptions;
  readonly #encoder: Pick<Encoder, 'encode'>;
  readonly #decoded = new DecodedBodies();
  #objects: BodyObjects | undefined;

  /** Tests may bring another encoder. */
  constructor(compression: CompressionOptions = DEFAULT_COMPRESSION, encoder: Pick<Encoder, 'encode'> = sharedEncoder) {
    this.#compression = compression;
    this.#encoder = encoder;
  }

  /** Memory of the bodies that were read lately. */
  get rememberedBytes(): number {
    return this.#decoded.bytes;
  }

  /** Tells where bodies are that the database does not hold. */
  connect(objects: BodyObjects): void {
    this.#objects = objects;
  }

  /** The stored form. Call it before the transaction: a large body takes its time in the thread pool. */
  encode(text: string): Promise<Uint8Array> {
    return encodeBody(Buffer.from(text, 'utf8'), this.#compression);
  }

  /** The stored forms of many bodies, with what is stored beside them; those of middling size are compressed in a thread of their own. */
  async encodeAll(texts: readonly string[]): Promise<EncodedBody[]> {
    const elsewhere = texts.length < WORTH_THE_WAY ? [] : texts.filter((text) => isCompressedAtOnce(Buffer.byteLength(text), this.#compression));
    const encoded = elsewhere.length < WORTH_THE_WAY ? [] : await this.#encodeElsewhere(elsewhere);
    let next = 0;
    return Promise.all(texts.map((text) => (encoded[next]?.text === text ? encoded[next++]! : this.#encodeHere(text))));
  }

  /** As `encodeAll`, with the bodies put to where the collection keeps them. Rejects with `BodyUnavailable`, and then nothing may be written. */
  async encodeFor(collection: string, texts: readonly string[]): Promise<EncodedBody[]> {
    const encoded = await this.encodeAll(texts);
    const placed = await this.#objects?.place(collection, encoded.map(({ stored }) => stored));
    return placed === undefined ? encoded : encoded.map((body, i) => ({ ...body, stored: placed[i]!.reference, backend: placed[i]!.backend }));
  }

  /**
   * Fetches bodies that are elsewhere together, before they are read one after the other. Never rejects: whoever reads
   * one learns what is wrong with it.
   */
  async fetchAhead(bodies: readonly (Uint8Array | null)[]): Promise<void> {
    let left = FETCHED_BYTES;
    const elsewhere = bodies.filter((body) => body !== null && isReference(body)).slice(0, FETCHED_AHEAD)
      .filter((body) => (left -= readReference(body!).length) >= 0);
    if (elsewhere.length > 1) await Promise.allSettled(elsewhere.map((body) => this.#whole(body!)));
  }

  /** The compression record. */
  #whole(stored: Uint8Array): Uint8Array | Promise<Uint8Array> {
    if (!isReference(stored)) return stored;
    if (this.#objects === undefined) throw corrupt('it is kept elsewhere, and nothing says where');
    return this.#objects.fetch(stored);
  }

  async #encodeHere(text: string): Promise<EncodedBody> {
    const utf8 = Buffer.from(text, 'utf8');
    return { stored: await encodeBody(utf8, this.#compression), crc: crc32(utf8), bytes: utf8.length, text };
  }

  /** None when the thread fails. */
  async #encodeElsewhere(texts: readonly string[]): Promise<EncodedBody[]> {
    try {
      const { bytes, ends, crcs } = await this.#encoder.encode(texts, this.#compression);
      return texts.map((text, i) => ({ stored: bytes.subarray(i === 0 ? 0 : ends[i - 1]!, ends[i]!), crc: crcs[i]!, bytes: Buffer.byteLength(text), text }));
    } catch {
      return [];
    }
  }

  /** The text of a stored form that the database holds, whatever settings it was written with; throws `internal` when it is sealed or damaged. */
  decode(stored: Uint8Array): string {
    const known = this.#known(stored);
    return known?.text ?? this.#textOf(stored, known?.utf8 ?? toBuffer(decodeBody(stored)), known);
  }

  /** As `decode`, wherever the body is, with large ones decompressed in the thread pool. Rejects also as `BodyObjects.fetch` does. */
  async decodeAsync(body: Uint8Array): Promise<string> {
    const stored = isReference(body) ? await this.#whole(body) : body;
    const known = this.#known(stored);
    return known?.text ?? this.#textOf(stored, known?.utf8 ?? toBuffer(await decodeBodyAsync(stored)), known);
  }

  /**
   * The UTF-8 of a stored form, for those who look at a part of it only, and its text if that is wanted as well, else whatever. The
   * bytes are shared, so don't write to them. Throws as `decodeAsync` does.
   */
  async bytesAsync(body: Uint8Array, withText = false): Promise<{ readonly utf8: Buffer; readonly text: string }> {
    const stored = isReference(body) ? await this.#whole(body) : body;
    const known = this.#known(stored);
    const utf8 = known?.utf8 ?? await this.#readBytes(stored);
    const text = known?.text ?? (withText ? utf8.toString('utf8') : undefined);
    if (utf8 !== known?.utf8 || text !== known?.text) this.#remember(stored, { text, utf8 });
    return { utf8, text: text ?? '' };
  }

  async #readBytes(stored: Uint8Array): Promise<Buffer> {
    const utf8 = toBuffer(await decodeBodyAsync(stored));
    if (stored[0] === FLAGS.raw) return utf8;
    // Decompressing leaves a part of a larger buffer.
    const own = Buffer.allocUnsafeSlow(utf8.length);
    own.set(utf8);
    return own;
  }

  /** A raw body is its own text; looking it up would cost more than it saves. */
  #known(stored: Uint8Array): DecodedBody | undefined {
    return stored[0] === FLAGS.raw ? undefined : this.#decoded.get(stored);
  }

  #textOf(stored: Uint8Array, utf8: Buffer, known: DecodedBody | undefined): string {
    const text = utf8.toString('utf8');
    this.#remember(stored, { text, utf8: known?.utf8 });
    return text;
  }

  #remember(stored: Uint8Array, decoded: DecodedBody): void {
    if (stored[0] !== FLAGS.raw) this.#decoded.set(stored, decoded);
  }
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
