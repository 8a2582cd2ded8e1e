import { setImmediate } from 'node:timers/promises';
import type { LogLimits } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { Clock } from '../../../lib/clock.ts';
import type { Masker, MaskStream } from '../mask/index.ts';
import type { OutputLine, OutputSink } from '../port.ts';
import { LineSplitter } from './line-splitter.ts';

/** Bytes of a line where an assignment does not say (decisions, section 2.5). */
const MAX_LINE = 16 * 1024;

/** Bytes that are made into lines in one go: at most so many lines. */
const PIECE = 4 * 1024;
/** Lines after which others have their turn. */
const LINES_AT_ONCE = 2_000;

/** One stream of bytes on its way into the log. */
export interface OutputWriter {
  /** Resolves when there is room for more; never rejects. */
  write(chunk: Buffer): Promise<void>;
  /** Writes what came of a line that has not ended, as far as it can't begin a secret. */
  flush(): Promise<void>;
  /** Writes everything that is left. */
  end(): Promise<void>;
}

/** The output of one attempt: masked, and in lines. The sink says what becomes of them when there are too many. */
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

  /** What the sink failed with, if it did; nothing is written from then on. */
  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /** Drops everything from now on: nobody wants to know any more. */
  close(): void {
    this.#closed = true;
    for (const end of this.#waits) end();
  }

  /** A line of the ship itself. */
  async note(level: OutputLine['level'], text: string, step: string | null = null): Promise<void> {
    const splitter = new LineSplitter(this.maxLine);
    const bytes = Buffer.from(this.#masker.text(text));
    for (const message of [...splitter.push(bytes), ...splitter.flush()]) await this.#line(level, 'system', step, message);
  }

  /** A step has failed: its last lines stay in the log, however much follows. */
  keep(step: string): void {
    this.#sink.keep?.(step);
  }

  writer(stream: 'stdout' | 'stderr', step: string | null): OutputWriter {
    return new Writer(this.#masker.stream(), new LineSplitter(this.maxLine), () => this.#dropping, (message) => this.#line('info', stream, step, message));
  }

  get #dropping(): boolean {
    return this.#closed || this.#failure !== undefined;
  }

  /** Undefined when the sink wants no pause, which spares a turn of the event loop for each line. */
  #line(level: OutputLine['level'], stream: OutputLine['stream'], step: string | null, message: string): Promise<void> | undefined {
    if (this.#dropping) return undefined;
    try {
      const pause = this.#sink.write({ unixMs: this.#clock.now(), level, stream, step, message });
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
  /** Lines since others had their turn. */
  #unbroken = 0;

  constructor(mask: MaskStream, splitter: LineSplitter, dropping: () => boolean, line: (message: string) => Promise<void> | undefined) {
    this.#mask = mask;
    this.#splitter = splitter;
    this.#dropping = dropping;
    this.#line = line;
  }

  async write(chunk: Buffer): Promise<void> {
    if (this.#dropping()) return;
    const shown = this.#mask.push(chunk);
    for (let at = 0; at < shown.length && !this.#dropping(); at += PIECE) await this.#lines(this.#splitter.push(shown.subarray(at, at + PIECE)));
  }

  async flush(): Promise<void> {
    await this.#lines(this.#splitter.flush());
  }

  async end(): Promise<void> {
    if (!this.#dropping()) await this.#lines([...this.#splitter.push(this.#mask.end()), ...this.#splitter.flush()]);
  }

  async #lines(lines: readonly string[]): Promise<void> {
    for (const line of lines) {
      const pause = this.#line(line);
      if (pause !== undefined) await pause;
    }
    // Thousands of short lines come at once, faster than they are dealt with.
    this.#unbroken += lines.length;
    if (this.#unbroken < LINES_AT_ONCE) return;
    this.#unbroken = 0;
    await setImmediate();
  }
}
