import type { MaskStream } from '../mask/index.ts';
import type { OutputWriter } from '../output/index.ts';
import { MAX_RESULT_BYTES } from '../result.ts';

/** How long an incomplete line is held back. */
const FLUSH_MS = 1_000;

/** Logs text that arrives in small pieces, by the line or by the second, and keeps it as a result. */
export class TextLog {
  truncated = false;
  readonly #writer: OutputWriter;
  readonly #mask: MaskStream;
  readonly #kept: Buffer[] = [];
  #bytes = 0;
  /** Serialises writes, because both new text and the timer trigger them. */
  #writing: Promise<void> = Promise.resolve();
  readonly #ticker: NodeJS.Timeout;

  constructor(writer: OutputWriter, mask: MaskStream) {
    this.#writer = writer;
    this.#mask = mask;
    this.#ticker = setInterval(() => void this.#next(() => writer.flush()), FLUSH_MS);
  }

  /** The text so far as a result: masked, at most 1 MiB. Complete after `end`. */
  get content(): string {
    return Buffer.concat(this.#kept).toString();
  }

  async write(text: string): Promise<void> {
    if (text === '') return;
    const bytes = Buffer.from(text);
    this.#keep(this.#mask.push(bytes));
    await this.#next(() => this.#writer.write(bytes));
  }

  async end(): Promise<void> {
    clearInterval(this.#ticker);
    this.#keep(this.#mask.end());
    await this.#next(() => this.#writer.end());
  }

  #next(write: () => Promise<void>): Promise<void> {
    this.#writing = this.#writing.then(write);
    return this.#writing;
  }

  #keep(bytes: Buffer): void {
    if (this.truncated || bytes.length === 0) return;
    const room = MAX_RESULT_BYTES - this.#bytes;
    this.truncated = bytes.length > room;
    const kept = this.truncated ? Buffer.from(wholeCharacters(bytes, room)) : bytes;
    this.#kept.push(kept);
    this.#bytes += kept.length;
  }
}

/** As many characters as fit. */
function wholeCharacters(bytes: Buffer, room: number): string {
  let end = room;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
