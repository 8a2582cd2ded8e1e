import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { type LogLine, LogLineSchema } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { formatByteSize } from '../../lib/byte-size.ts';
import type { OutputLine } from '../execute/port.ts';
import { type Gap, LineTail, type TailLine } from './line-tail.ts';
import { OverflowFile, type SpoolFile } from './spool-file.ts';

/** Bytes of waiting lines in memory; above this they are written to disk. */
const MAX_MEMORY_BYTES = 1 << 20;
/** The writer waits while more than this is unsent: the disk space of a log, if its budget allows more. */
const MAX_UNSENT_BYTES = 32 << 20;
/** The end of a log gets a quarter of its budget, and at most this many bytes, because it is in memory. */
const MAX_TAIL = { bytes: 4 << 20, lines: 20_000 };
/** Part of the budget for lines of the server and for messages about gaps. */
const RESERVE = { bytes: 64 << 10, lines: 100 };

/** A line in its encoded form. */
interface SpooledLine {
  readonly bytes: Uint8Array;
}

interface LineSpoolOptions {
  /**
   * Limits of the kept lines, in bytes of messages and in lines: three quarters from the beginning, the rest from the
   * end.
   */
  readonly maxBytes: number;
  readonly maxLines: number;
  /** Creates the file for lines that do not fit in memory; called when it is needed. */
  readonly openFile: () => Promise<SpoolFile>;
  now(): number;
  /** Called whenever more lines can be read, and when there will be no more. Must not throw. */
  onChange(): void;
  /** Called once, when the disk has failed; the oldest waiting lines are lost. */
  onFailure(error: unknown): void;
}

/**
 * The lines of an attempt's log that wait to be sent, numbered from 0 without gaps: the newer ones in memory, and the
 * older ones that did not fit there on disk. Above the budget the newest lines are kept apart, in memory, and follow at
 * the end, after a line that says how much is left out. If the disk is full the oldest waiting lines are lost, and a
 * line says so; later lines, such as the end of the log, still have their place in memory.
 */
export class LineSpool {
  readonly #options: LineSpoolOptions;
  readonly #head: { bytes: number; lines: number };
  readonly #tail: LineTail;
  readonly #file: OverflowFile;
  /** Lines after those on disk. */
  #memory: SpooledLine[] = [];
  #memoryBytes = 0;
  /** Number of the first line in memory. */
  #memoryFrom = 0;
  /** The server has all lines before this one. */
  #sent = 0;
  /** Lines before this one may have reached the server, so their numbers must not change. */
  #attempted = 0;
  #headBytes = 0;
  #headLines = 0;
  /** Number of lines that could not be written to disk. */
  #lost = 0;
  /** The line that reports the last of them. */
  #loss: { readonly line: SpooledLine; readonly lines: number } | undefined;
  #isTruncated = false;
  #takesMore = true;
  #ignored = 0;
  #hasFailed = false;
  #spilling: Promise<void> | undefined;
  #room: PromiseWithResolvers<void> | undefined;

  constructor(options: LineSpoolOptions) {
    this.#options = options;
    const tail = {
      bytes: Math.min(MAX_TAIL.bytes, Math.floor(options.maxBytes / 4)),
      lines: Math.min(MAX_TAIL.lines, Math.floor(options.maxLines / 4)),
    };
    const reserve = {
      bytes: Math.min(RESERVE.bytes, Math.floor(options.maxBytes / 8)),
      lines: Math.min(RESERVE.lines, Math.floor(options.maxLines / 8)),
    };
    this.#head = {
      bytes: options.maxBytes - tail.bytes - reserve.bytes,
      lines: options.maxLines - tail.lines - reserve.lines,
    };
    this.#tail = new LineTail(tail);
    this.#file = new OverflowFile(options.openFile);
  }

  /** Lines so far, including those after `stop`; lines that are left out do not count. */
  get total(): number {
    return this.readable + this.#ignored;
  }

  /** Number of the first line that is still kept: the server has the lines before it. */
  get first(): number {
    return this.#sent;
  }

  /** Number after the last line that can be read. */
  get readable(): number {
    return this.#memoryFrom + this.#memory.length;
  }

  /** Number of lines that are left out of the log. */
  get leftOut(): number {
    return this.#tail.leftOut + this.#lost;
  }

  /** Whether lines are left out, or the budget is exceeded because of a failed step. */
  get isTruncated(): boolean {
    return this.#isTruncated;
  }

  /** Adds a line; if a promise is returned, the caller must await it before the next line. */
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

  /** A step has failed: its last lines stay, whatever follows them. */
  keep(step: string | null): void {
    this.#tail.keep(step);
  }

  /** No more lines follow: the lines that were kept apart are added now. */
  async end(): Promise<void> {
    const { parts, exceeds } = this.#tail.end();
    if (this.#takesMore) {
      this.#isTruncated ||= exceeds || this.#tail.leftOut > 0;
      for (const part of parts) this.#push('line' in part ? toSpooled(part.line) : this.#system(describeGap(part)));
    }
    this.#takesMore = false;
    await this.#spilling;
  }

  /** Lines from number `from`, at least one, up to `maxLines` or `maxBytes`. Rejects if the disk fails. */
  async read(from: number, maxLines: number, maxBytes: number): Promise<LogLine[]> {
    if (from < this.#sent || from >= this.readable)
      throw new RangeError(`line ${from} is asked for, there are ${this.#sent} to ${this.readable - 1}`);
    const lines = from < this.#memoryFrom
      ? await this.#file.read(from, maxLines, maxBytes)
      : this.#fromMemory(from, maxLines, maxBytes);
    this.#attempted = Math.max(this.#attempted, from + lines.length);
    return lines.map((bytes) => fromBinary(LogLineSchema, bytes));
  }

  /** Lines before number `next` need not be sent again. */
  sent(next: number): void {
    this.#sent = Math.max(this.#sent, Math.min(next, this.readable));
    // Lines that are being written to disk stay until that is done.
    if (this.#spilling !== undefined) return;
    this.#forget();
    this.#letGoOn();
  }

  /** Discards all lines, because they are not needed any more. */
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
    this.#push(
      this.#system(
        `the log has reached its limit of ${
          formatByteSize(maxBytes)
        } or ${maxLines} lines; of what follows only the end is kept, and comes when the work has ended`,
      ),
    );
    return undefined;
  }

  #push(line: SpooledLine): void {
    this.#memory.push(line);
    this.#memoryBytes += line.bytes.length;
    if (this.#memoryBytes > MAX_MEMORY_BYTES) this.#spilling ??= this.#spill();
    this.#options.onChange();
  }

  /** Writes the lines in memory to disk, or drops the older half of them. */
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

  /** Removes this many lines from the front of the memory. */
  #take(count: number): void {
    for (const { bytes } of this.#memory.splice(0, count)) this.#memoryBytes -= bytes.length;
    this.#memoryFrom += count;
  }

  /**
   * Drops half of the lines in memory, except lines whose numbers must not change; one line in their place says how
   * many there were.
   */
  #loseOldest(): void {
    const first = Math.max(0, this.#attempted - this.#memoryFrom);
    let end = first;
    for (let bytes = this.#memoryBytes; end < this.#memory.length && bytes > MAX_MEMORY_BYTES / 2; end++)
      bytes -= this.#memory[end]!.bytes.length;
    const gone = this.#memory.slice(first, end);
    if (gone.length === 0) return;
    const before = this.#loss !== undefined && gone[0] === this.#loss.line ? this.#loss.lines : 0;
    const lines = before + gone.length - (before > 0 ? 1 : 0);
    this.#lost += lines - before;
    this.#isTruncated = true;
    const line = this.#system(
      `${lines} ${lines === 1 ? 'line is' : 'lines are'} lost here, because the disk of the ship does not take more`,
    );
    this.#loss = { line, lines };
    this.#memory.splice(first, gone.length, line);
    this.#memoryBytes += line.bytes.length - gone.reduce((sum, { bytes }) => sum + bytes.length, 0);
  }

  /** Removes the lines that the server has. */
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
    return (this.#spilling === undefined || this.#memoryBytes <= 2 * MAX_MEMORY_BYTES) &&
      this.#memoryBytes + this.#file.unsentBytes <= MAX_UNSENT_BYTES;
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

const describeGap = ({ lines, messageBytes }: Gap): string =>
  `${lines} ${lines === 1 ? 'line' : 'lines'} of ${messageBytes} bytes ${lines === 1 ? 'is' : 'are'} left out here`;

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
const STREAMS = ['stdout', 'stderr', 'system'] as const;
/** Of the numbers in the protocol, from 1 on. */
const STEP_STATES = ['running', 'succeeded', 'failed', 'timed_out', 'stopped'] as const;

function toSpooled({ unixMs, level, stream, step, message, stepState }: OutputLine): SpooledLine {
  const line = create(LogLineSchema, {
    unixMs: BigInt(Math.round(unixMs)),
    level: LEVELS.indexOf(level),
    stream: STREAMS.indexOf(stream),
    step: step ?? '',
    message: message.toWellFormed(),
    stepState: stepState === undefined ? 0 : STEP_STATES.indexOf(stepState) + 1,
  });
  return { bytes: toBinary(LogLineSchema, line) };
}
