import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { LogLineSchema, type LogLine } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { OutputLine } from '../execute/port.ts';
import type { SpoolFile } from './spool-file.ts';

/** The writer waits while more than this is not on disk yet. */
const MAX_UNWRITTEN_BYTES = 1 << 20;
/** The writer waits while more than this has not been sent: what a log may use of the disk, where its budget allows more. */
const MAX_UNSENT_BYTES = 32 << 20;

export interface LineSpoolOptions {
  /** Bytes of messages, and lines, that are kept. The first line beyond is kept, too, so that the server sees that there was more. */
  readonly maxBytes: number;
  readonly maxLines: number;
  /** Told whenever more lines can be read, and when there will be no more. Must not throw. */
  onChange(): void;
  /** The disk has failed; what it did not take is lost. */
  onFailure(error: unknown): void;
}

/**
 * The lines of an attempt's log on disk, numbered from 0. Lines beyond the budget, and those that the
 * disk did not take, are counted and forgotten: `total` counts all, `readable` those that can be sent.
 */
export class LineSpool {
  readonly #options: LineSpoolOptions;
  readonly #file: Promise<SpoolFile>;
  /** Where each line begins in the file, and where the last one ends. */
  readonly #offsets: number[] = [0];
  #unwritten: Uint8Array[] = [];
  #unwrittenBytes = 0;
  #messageBytes = 0;
  #written = 0;
  #sent = 0;
  #total = 0;
  #takesMore = true;
  #writing: Promise<void> | undefined;
  #room: PromiseWithResolvers<void> | undefined;

  constructor(file: Promise<SpoolFile>, options: LineSpoolOptions) {
    this.#options = options;
    this.#file = file;
    // Whoever uses it finds out.
    file.catch(() => undefined);
  }

  get total(): number {
    return this.#total;
  }

  get readable(): number {
    return this.#written;
  }

  /** Takes a line; a promise asks to wait before the next. */
  append(line: OutputLine): void | Promise<void> {
    this.#total++;
    if (!this.#takesMore) return undefined;
    const bytes = toBinary(LogLineSchema, toLogLine(line));
    this.#offsets.push(this.#offsets.at(-1)! + bytes.length);
    this.#unwritten.push(bytes);
    this.#unwrittenBytes += bytes.length;
    this.#messageBytes += Buffer.byteLength(line.message);
    const { maxBytes, maxLines } = this.#options;
    if (this.#messageBytes > maxBytes || this.#offsets.length - 1 > maxLines) this.#takesMore = false;
    this.#writing ??= this.#write();
    if (this.#hasRoom()) return undefined;
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  /** All that was taken is on disk, or lost. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  /** Readable lines from number `from`, at least one, until there are `maxLines` or `maxBytes`. Rejects when the disk fails. */
  async read(from: number, maxLines: number, maxBytes: number): Promise<LogLine[]> {
    if (from >= this.#written) throw new RangeError(`line ${from} is asked for, ${this.#written} can be read`);
    const begin = this.#offsets[from]!;
    let to = from + 1;
    while (to < this.#written && to - from < maxLines && this.#offsets[to + 1]! - begin <= maxBytes) to++;
    const bytes = await (await this.#file).read(begin, this.#offsets[to]! - begin);
    const lines: LogLine[] = [];
    for (let line = from; line < to; line++) {
      lines.push(fromBinary(LogLineSchema, bytes.subarray(this.#offsets[line]! - begin, this.#offsets[line + 1]! - begin)));
    }
    return lines;
  }

  /** Lines before number `next` need not be sent again. */
  sent(next: number): void {
    this.#sent = Math.max(this.#sent, Math.min(next, this.#written));
    this.#letGoOn();
  }

  /** Keeps no more lines: nobody wants them. */
  stop(): void {
    this.#takesMore = false;
    this.#room?.resolve();
    this.#room = undefined;
  }

  async remove(): Promise<void> {
    this.stop();
    await this.#writing;
    await this.#file.then((file) => file.remove(), () => undefined);
  }

  async #write(): Promise<void> {
    try {
      const file = await this.#file;
      while (this.#unwritten.length > 0) {
        const lines = this.#unwritten.splice(0);
        await file.append(lines.length === 1 ? lines[0]! : Buffer.concat(lines));
        this.#written += lines.length;
        this.#unwrittenBytes -= lines.reduce((sum, { length }) => sum + length, 0);
        this.#letGoOn();
        this.#options.onChange();
      }
    } catch (error) {
      this.#unwritten = [];
      this.#unwrittenBytes = 0;
      this.stop();
      this.#options.onFailure(error);
      this.#options.onChange();
    }
    this.#writing = undefined;
  }

  #hasRoom(): boolean {
    const unsent = this.#offsets.at(-1)! - this.#offsets[this.#sent]!;
    return !this.#takesMore || (this.#unwrittenBytes <= MAX_UNWRITTEN_BYTES && unsent <= MAX_UNSENT_BYTES);
  }

  #letGoOn(): void {
    if (!this.#hasRoom()) return;
    this.#room?.resolve();
    this.#room = undefined;
  }
}

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const STREAMS = ['stdout', 'stderr', 'system'] as const;

function toLogLine({ unixMs, level, stream, step, message }: OutputLine): LogLine {
  return create(LogLineSchema, {
    unixMs: BigInt(Math.round(unixMs)), level: LEVELS.indexOf(level), stream: STREAMS.indexOf(stream), step: step ?? '', message: message.toWellFormed(),
  });
}
