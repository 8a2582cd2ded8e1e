import type { OutputWriter } from './run-output.ts';

/** A line that is not complete is shown after this time: a prompt, or the dots of a slow command. */
const SHOW_MS = 700;
const [LINE_FEED, CARRIAGE_RETURN] = [10, 13];

/**
 * Passes output on, and has a line without its end shown within a second. A line that rewrites itself by carriage
 * returns, as progress bars do, is shown when it pauses: otherwise the log would have a line for each second of it.
 */
export class LiveWriter {
  readonly #writer: OutputWriter;
  /** Serialises writes, because both output and the timer trigger them. */
  #writing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  /** The incomplete line has been rewritten. */
  #rewritten = false;

  constructor(writer: OutputWriter) {
    this.#writer = writer;
  }

  /** Resolves when it can accept more; never rejects. */
  write(chunk: Buffer): Promise<void> {
    this.#plan(chunk);
    return this.#next(() => this.#writer.write(chunk));
  }

  /** Writes the rest. */
  end(): Promise<void> {
    clearTimeout(this.#timer);
    return this.#next(() => this.#writer.end());
  }

  #plan(chunk: Buffer): void {
    const lineEnd = chunk.lastIndexOf(LINE_FEED);
    if (lineEnd >= 0) this.#rewritten = false;
    this.#rewritten ||= chunk.lastIndexOf(CARRIAGE_RETURN) > lineEnd;
    if (lineEnd >= 0 || this.#rewritten) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    }
    if (lineEnd === chunk.length - 1) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#next(() => this.#writer.flush());
    }, SHOW_MS).unref();
  }

  #next(write: () => Promise<void>): Promise<void> {
    this.#writing = this.#writing.then(write);
    return this.#writing;
  }
}
