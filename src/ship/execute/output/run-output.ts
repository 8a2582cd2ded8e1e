import { setImmediate } from 'node:timers/promises';
import type { LogLimits } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { Clock } from '../../../lib/clock.ts';
import type { Masker, MaskStream } from '../mask/masker.ts';
import type { OutputLine, OutputSink, StepState } from '../port.ts';
import { LineSplitter } from './line-splitter.ts';

/** Default for the bytes of a line, if an assignment has no limit (decisions, section 2.5). */
const MAX_LINE = 16 * 1024;

/** Bytes that are split into lines at once: at most this many lines. */
const PIECE = 4 * 1024;
/** Number of lines after which other work gets a turn. */
const LINES_AT_ONCE = 2_000;

/** One byte stream that is written to the log. */
export interface OutputWriter {
  /** Resolves when it can accept more; never rejects. */
  write(chunk: Buffer): Promise<void>;
  /** Writes the part of an incomplete line that cannot be the beginning of a secret; the rest becomes another line. */
  flush(): Promise<void>;
  /** Writes the rest. */
  end(): Promise<void>;
}

/** The output of one attempt: masked and split into lines. The sink decides what happens to lines above the limits. */
export class RunOutput {
  readonly maxLine: number;
  readonly #masker: Masker;
  readonly #sink: OutputSink;
  readonly #clock: Clock;
  #failure: { readonly error: unknown } | undefined;
  #closed = false;
  /** Ends the waits for the sink. */
  readonly #waits = new Set<() => void>();

  constructor(options: { limits: LogLimits | undefined; masker: Masker; sink: OutputSink; clock: Clock }) {
    this.maxLine = options.limits?.maxLine || MAX_LINE;
    this.#masker = options.masker;
    this.#sink = options.sink;
    this.#clock = options.clock;
  }

  /** The error of the sink, if it failed; nothing is written after that. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /** Drops everything from now on, because the output is not needed any more. */
  close(): void {
    this.#closed = true;
    for (const end of this.#waits) end();
  }

  /** Writes a line of the ship itself. */
  async note(level: OutputLine['level'], text: string, step: string | null = null): Promise<void> {
    for (const message of this.#split(text)) await this.#line(level, 'system', step, message);
  }

  /** Says that a step begins, or how it has ended. */
  async stepIs(state: StepState, step: string, text: string): Promise<void> {
    const [message = ''] = this.#split(text);
    await this.#line('info', 'system', step, message, state);
  }

  #split(text: string): string[] {
    const splitter = new LineSplitter(this.maxLine);
    return [...splitter.push(Buffer.from(this.#masker.text(text))), ...splitter.flush()];
  }

  /** A step has failed: its last lines stay in the log, however many follow. */
  keep(step: string): void {
    this.#sink.keep?.(step);
  }

  writer(stream: 'stdout' | 'stderr', step: string | null): OutputWriter {
    return new Writer(this.#masker.stream(), new LineSplitter(this.maxLine), () => this.#dropping,
      (message) => this.#line('info', stream, step, message));
  }

  get #dropping(): boolean {
    return this.#closed || this.#failure !== undefined;
  }

  /** Undefined if the sink needs no pause; this saves a turn of the event loop per line. */
  #line(level: OutputLine['level'], stream: OutputLine['stream'], step: string | null, message: string,
    stepState?: StepState): Promise<void> | undefined
  {
    if (this.#dropping) return undefined;
    try {
      const pause = this.#sink.write({
        unixMs: this.#clock.now(),
        level,
        stream,
        step,
        message,
        ...(stepState !== undefined && { stepState }),
      });
      return pause === undefined ? undefined : this.#wait(pause);
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  #wait(pause: Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        this.#waits.delete(end);
        resolve();
      };
      this.#waits.add(end);
      pause.catch((error: unknown) => this.#fail(error)).finally(end);
    });
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
  }
}

class Writer implements OutputWriter {
  readonly #mask: MaskStream;
  readonly #splitter: LineSplitter;
  readonly #dropping: () => boolean;
  readonly #line: (message: string) => Promise<void> | undefined;
  /** Lines since other work got a turn. */
  #unbroken = 0;

  constructor(mask: MaskStream, splitter: LineSplitter, dropping: () => boolean,
    line: (message: string) => Promise<void> | undefined)
  {
    this.#mask = mask;
    this.#splitter = splitter;
    this.#dropping = dropping;
    this.#line = line;
  }

  async write(chunk: Buffer): Promise<void> {
    if (this.#dropping()) return;
    const shown = this.#mask.push(chunk);
    for (let at = 0; at < shown.length && !this.#dropping(); at += PIECE)
      await this.#lines(this.#splitter.push(shown.subarray(at, at + PIECE)));
  }

  async flush(): Promise<void> {
    await this.#lines(this.#splitter.pause());
  }

  async end(): Promise<void> {
    if (!this.#dropping()) await this.#lines([...this.#splitter.push(this.#mask.end()), ...this.#splitter.flush()]);
  }

  async #lines(lines: readonly string[]): Promise<void> {
    for (const line of lines) {
      const pause = this.#line(line);
      if (pause !== undefined) await pause;
    }
    // A chunk may contain thousands of short lines, more than can be processed at once.
    this.#unbroken += lines.length;
    if (this.#unbroken < LINES_AT_ONCE) return;
    this.#unbroken = 0;
    await setImmediate();
  }
}
