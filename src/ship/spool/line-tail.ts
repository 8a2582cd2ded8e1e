import type { OutputLine } from '../execute/port.ts';

/**
 * A line, and the bytes of its message, which count towards the budget. It is encoded only when it is certain to stay.
 */
export interface TailLine {
  readonly line: OutputLine;
  readonly messageBytes: number;
}

/** Number of lines of a failing step that stay, whatever follows them. */
const KEPT_LINES = 200;

interface TailLimits {
  readonly bytes: number;
  readonly lines: number;
}

/** The remaining lines in order, with gaps; each gap has the size of what is missing there. */
interface Ending {
  readonly parts: readonly (TailLine | Gap)[];
  /** Lines above the limits, kept because of a failed step. */
  readonly exceeds: boolean;
}

export interface Gap {
  readonly lines: number;
  readonly messageBytes: number;
}

/**
 * The end of a log whose beginning has used its share of the budget: the newest lines, in memory, within limits. The
 * last 200 lines of a failed step stay, whatever follows them.
 */
export class LineTail {
  readonly #limits: TailLimits;
  /** At least 200, if there are that many, so that a failing step finds its last lines. */
  readonly #newest: (TailLine | undefined)[] = [];
  #first = 0;
  #bytes = 0;
  /** Lines of `#newest` that stay. */
  readonly #pinned = new Set<TailLine>();
  /** Lines that stay and are followed by lines that do not. */
  readonly #kept: TailLine[] = [];
  #before = { lines: 0, messageBytes: 0 };
  #after = { lines: 0, messageBytes: 0 };

  constructor(limits: TailLimits) {
    this.#limits = limits;
  }

  /** Number of lines that are left out so far. */
  get leftOut(): number {
    return this.#before.lines + this.#after.lines;
  }

  push(line: TailLine): void {
    this.#newest.push(line);
    this.#bytes += line.messageBytes;
    while (this.#isOver() && this.#count > KEPT_LINES) this.#shift();
  }

  /** The step has failed: its last lines stay. */
  keep(step: string | null): void {
    for (let at = this.#newest.length - 1, found = 0; at >= this.#first && found < KEPT_LINES; at--) {
      const line = this.#newest[at]!;
      if (line.line.step !== step) continue;
      this.#pinned.add(line);
      found++;
    }
  }

  /** Returns the remaining lines, within the limits except for lines that must stay. No line may be added after it. */
  end(): Ending {
    while (this.#isOver() && this.#count > 0 && !this.#pinned.has(this.#newest[this.#first]!)) this.#shift();
    const lines = this.#newest.slice(this.#first) as TailLine[];
    const gap = (
      { lines: missing, messageBytes }: Gap,
    ): Gap[] => (missing === 0 ? [] : [{ lines: missing, messageBytes }]);
    return {
      parts: [...gap(this.#before), ...this.#kept, ...gap(this.#after), ...lines],
      exceeds: this.#isOver() || this.#kept.length > 0,
    };
  }

  get #count(): number {
    return this.#newest.length - this.#first;
  }

  #isOver(): boolean {
    return this.#bytes > this.#limits.bytes || this.#count > this.#limits.lines;
  }

  #shift(): void {
    const line = this.#newest[this.#first]!;
    this.#newest[this.#first++] = undefined;
    this.#bytes -= line.messageBytes;
    if (this.#pinned.delete(line)) this.#kept.push(line);
    else {
      const gap = this.#kept.length === 0 ? this.#before : this.#after;
      gap.lines += 1;
      gap.messageBytes += line.messageBytes;
    }
    // Removed in large pieces, because removing one line from the front moves all others.
    if (this.#first < 4096 || this.#first < this.#newest.length / 2) return;
    this.#newest.splice(0, this.#first);
    this.#first = 0;
  }
}
