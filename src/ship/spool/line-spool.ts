import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { LogLineSchema, type LogLine } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { formatByteSize } from '../../lib/byte-size.ts';
import type { OutputLine } from '../execute/port.ts';
import { LineTail, type Gap, type TailLine } from './line-tail.ts';
import { OverflowFile } from './overflow-file.ts';
import type { SpoolFile } from './spool-file.ts';

/** Lines that wait are in memory up to so many bytes, and beyond that on disk. */
const MAX_MEMORY_BYTES = 1 << 20;
/** The writer waits while more than this has not been sent: what a log may use of the disk, where its budget allows more. */
const MAX_UNSENT_BYTES = 32 << 20;
/** The end of a log takes a quarter of its budget, and so much at most, because it is in memory. */
const MAX_TAIL = { bytes: 4 << 20, lines: 20_000 };
/** Of the budget, left to lines of the server and to what is said of gaps. */
const RESERVE = { bytes: 64 << 10, lines: 100 };

/** A line as it is sent. */
interface SpooledLine {
  readonly bytes: Uint8Array;
}

export interface LineSpoolOptions {
  /** Bytes of messages, and lines, that are kept: three quarters of them from the beginning, the others from the end. */
  readonly maxBytes: number;
  readonly maxLines: number;
  /** Makes the file for what does not fit in memory; asked when it is needed. */
  readonly openFile: () => Promise<SpoolFile>;
  now(): number;
  /** Told whenever more lines can be read, and when there will be no more. Must not throw. */
  onChange(): void;
  /** The disk has failed; the oldest lines that wait are lost. Told once. */
  onFailure(error: unknown): void;
}

/**
 * The lines of an attempt's log that wait to be sent, numbered from 0 without gaps: those in memory, and before them those that
 * did not fit there, on disk. Beyond the budget the newest lines are kept aside, in memory, and come last, after a line that
 * says how much is left out. A disk that is full costs the oldest lines that wait, and a line says so; everything after them, such as the
 * end of the log, still has its place in memory.
 */
export class LineSpool {
  readonly #options: LineSpoolOptions;
  readonly #head: { bytes: number; lines: number };
  readonly #tail: LineTail;
  readonly #file: OverflowFile;
  /** Lines behind those on disk. */
  #memory: SpooledLine[] = [];
  #memoryBytes = 0;
  /** Number of the first line in memory. */
  #memoryFrom = 0;
  /** The server has all lines before. */
  #sent = 0;
  /** Lines before may have reached the server: their numbers stand. */
  #attempted = 0;
  #headBytes = 0;
  #headLines = 0;
  /** Lines that no disk took. */
  #lost = 0;
  /** The line that tells of the last of them. */
  #loss: { readonly line: SpooledLine; readonly lines: number } | undefined;
  #isTruncated = false;
  #takesMore = true;
  #ignored = 0;
  #hasFailed = false;
  #spilling: Promise<void> | undefined;
  #room: PromiseWithResolvers<void> | undefined;

  constructor(options: LineSpoolOptions) {
    this.#options = options;
    const tail = { bytes: Math.min(MAX_TAIL.bytes, Math.floor(options.maxBytes / 4)), lines: Math.min(MAX_TAIL.lines, Math.floor(options.maxLines / 4)) };
    const reserve = { bytes: Math.min(RESERVE.bytes, Math.floor(options.maxBytes / 8)), lines: Math.min(RESERVE.lines, Math.floor(options.maxLines / 8)) };
    this.#head = { bytes: options.maxBytes - tail.bytes - reserve.bytes, lines: options.maxLines - tail.lines - reserve.lines };
    this.#tail = new LineTail(tail);
    this.#file = new OverflowFile(options.openFile);
  }

  /** Lines so far, with those that came after `stop`; those that are left out are not among them. */
  get total(): number {
    return this.readable + this.#ignored;
  }

  /** Number of the first line that is kept still: the server has those before. */
  get first(): number {
    return this.#sent;
  }

  /** Number behind the last line that can be read. */
  get readable(): number {
    return this.#memoryFrom + this.#memory.length;
  }

  /** Lines that are left out of the log. */
  get leftOut(): number {
    return this.#tail.leftOut + this.#lost;
  }

  /** Whether lines are left out, or the budget is exceeded for the sake of a step that failed. */
  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  /** Takes a line; a promise asks to wait before the next. */
  append(line: OutputLine): void | Promise<void> {
    if (!this.#takesMore) {
      this.#ignored += 1;
      return undefined;
    }
    const messageBytes = Buffer.byteLength(line.message);
    if (this.#headLines >= this.#head.lines || this.#headBytes + messageBytes > this.#head.bytes) {
      this.#headLines = Infinity; // the beginning has no gaps
      return this.#setAside({ line, messageBytes });
    }
    this.#headLines += 1;
    this.#headBytes += messageBytes;
    this.#push(toSpooled(line));
    if (this.#hasRoom()) return undefined;
    this.#room ??= Promise.withResolvers();
    return this.#room.promise;
  }

  /** A step has failed: its last lines stay, whatever comes after them. */
  keep(step: string | null): void {
    this.#tail.keep(step);
  }

  /** No more lines come: those that were kept aside follow now. */
  async end(): Promise<void> {
    const { parts, exceeds } = this.#tail.end();
    if (this.#takesMore) {
      this.#isTruncated ||= exceeds || this.#tail.leftOut > 0;
      for (const part of parts) this.#push('line' in part ? toSpooled(part.line) : this.#system(describeGap(part)));
    }
    this.#takesMore = false;
    await this.#spilling;
  }

  /** Lines from number `from`, at least one, until there are `maxLines` or `maxBytes`. Rejects when the disk fails. */
  async read(from: number, maxLines: number, maxBytes: number): Promise<LogLine[]> {
    if (from < this.#sent || from >= this.readable) throw new RangeError(`line ${from} is asked for, there are ${this.#sent} to ${this.readable - 1}`);
    const lines = from < this.#memoryFrom ? await this.#file.read(from, maxLines, maxBytes) : this.#fromMemory(from, maxLines, maxBytes);
    this.#attempted = Math.max(this.#attempted, from + lines.length);
    return lines.map((bytes) => fromBinary(LogLineSchema, bytes));
  }

  /** Lines before number `next` need not be sent again. */
  sent(next: number): void {
    this.#sent = Math.max(this.#sent, Math.min(next, this.readable));
    // Those that are being written to disk stay where they are until that is done.
    if (this.#spilling !== undefined) return;
    this.#forget();
    this.#letGoOn();
  }

  /** Keeps no more lines: nobody wants them. */
  stop(): void {
    this.#takesMore = false;
    this.#letGoOn(true);
  }

  async remove(): Promise<void> {
    this.stop();
    await this.#spilling;
    await this.#file.remove();
  }

  #setAside(line: TailLine): undefined {
    const before = this.#tail.leftOut;
    this.#tail.push(line);
    if (before > 0 || this.#tail.leftOut === 0) return undefined;
    const { maxBytes, maxLines } = this.#options;
    this.#isTruncated = true;
    this.#push(this.#system(`the log has reached its limit of ${formatByteSize(maxBytes)} or ${maxLines} lines; of what follows only the end is kept, and comes when the work has ended`));
    return undefined;
  }

  #push(line: SpooledLine): void {
    this.#memory.push(line);
    this.#memoryBytes += line.bytes.length;
    if (this.#memoryBytes > MAX_MEMORY_BYTES) this.#spilling ??= this.#spill();
    this.#options.onChange();
  }

  /** Writes what is in memory to disk, or loses the older half of it. */
  async #spill(): Promise<void> {
    const count = this.#memory.length;
    try {
      await this.#file.append(this.#memoryFrom, this.#memory.map(({ bytes }) => bytes));
      this.#take(count);
    } catch (error) {
      if (!this.#hasFailed) this.#options.onFailure(error);
      this.#hasFailed = true;
      this.#loseOldest();
    }
    this.#spilling = undefined;
    this.#forget();
    this.#letGoOn();
    this.#options.onChange();
  }

  /** Removes so many lines from the front of the memory. */
  #take(count: number): void {
    for (const { bytes } of this.#memory.splice(0, count)) this.#memoryBytes -= bytes.length;
    this.#memoryFrom += count;
  }

  /** Half of what is in memory makes place, but for lines whose numbers stand; one line in their place says how many there were. */
  #loseOldest(): void {
    const first = Math.max(0, this.#attempted - this.#memoryFrom);
    let end = first;
    for (let bytes = this.#memoryBytes; end < this.#memory.length && bytes > MAX_MEMORY_BYTES / 2; end++) bytes -= this.#memory[end]!.bytes.length;
    const gone = this.#memory.slice(first, end);
    if (gone.length === 0) return;
    const before = this.#loss !== undefined && gone[0] === this.#loss.line ? this.#loss.lines : 0;
    const lines = before + gone.length - (before > 0 ? 1 : 0);
    this.#lost += lines - before;
    this.#isTruncated = true;
    const line = this.#system(`${lines} ${lines === 1 ? 'line is' : 'lines are'} lost here, because the disk of the ship does not take more`);
    this.#loss = { line, lines };
    this.#memory.splice(first, gone.length, line);
    this.#memoryBytes += line.bytes.length - gone.reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  /** Lets go of what the server has. */
  #forget(): void {
    if (this.#sent > this.#memoryFrom) this.#take(this.#sent - this.#memoryFrom);
    this.#file.sent(this.#sent);
  }

  #fromMemory(from: number, maxLines: number, maxBytes: number): Uint8Array[] {
    const lines: Uint8Array[] = [];
    for (let at = from - this.#memoryFrom, bytes = 0; at < this.#memory.length && lines.length < maxLines; at++) {
      const line = this.#memory[at]!.bytes;
      bytes += line.length;
      if (bytes > maxBytes && lines.length > 0) break;
      lines.push(line);
    }
    return lines;
  }

  #hasRoom(): boolean {
    if (!this.#takesMore) return true;
    return (this.#spilling === undefined || this.#memoryBytes <= 2 * MAX_MEMORY_BYTES) && this.#memoryBytes + this.#file.unsentBytes <= MAX_UNSENT_BYTES;
  }

  #letGoOn(always = false): void {
    if (!always && !this.#hasRoom()) return;
    this.#room?.resolve();
    this.#room = undefined;
  }

  #system(message: string): SpooledLine {
    return toSpooled({ unixMs: this.#options.now(), level: 'warn', stream: 'system', step: null, message });
  }
}

const describeGap = ({ lines, messageBytes }: Gap): string => `${lines} ${lines === 1 ? 'line' : 'lines'} of ${messageBytes} bytes ${lines === 1 ? 'is' : 'are'} left out here`;

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const STREAMS = ['stdout', 'stderr', 'system'] as const;

function toSpooled({ unixMs, level, stream, step, message }: OutputLine): SpooledLine {
  const line = create(LogLineSchema, {
    unixMs: BigInt(Math.round(unixMs)), level: LEVELS.indexOf(level), stream: STREAMS.indexOf(stream), step: step ?? '', message: message.toWellFormed(),
  });
  return { bytes: toBinary(LogLineSchema, line) };
}
