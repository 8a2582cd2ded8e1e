import { styleText } from 'node:util';
import { type OutputStream, writeLines } from '../commands/shared/io.ts';
import { fitText, textWidth } from '../commands/shared/table.ts';

/** The output of the demo. Colours are used only on terminals, and not if `NO_COLOR` is set. */
export class Screen {
  readonly #stream: OutputStream;

  constructor(stream: OutputStream) {
    this.#stream = stream;
  }

  get width(): number {
    return Math.min(this.#stream.columns ?? 100, 120);
  }

  lines(texts: readonly string[]): void {
    writeLines(this.#stream, texts);
  }

  /** The heading of a step: its question, and the request for it. */
  step(question: string, request: string): void {
    this.lines(['', this.#style(['bold', 'cyan'], question), this.#style('dim', request), '']);
  }

  indented(texts: readonly string[]): void {
    this.lines(texts.map((text) => `  ${text}`.trimEnd()));
  }

  note(text: string): void {
    this.indented([this.#style('dim', text)]);
  }

  /** Counts as bars, in the given order; the longest one takes the available width. */
  bars(counts: ReadonlyArray<readonly [label: string, count: number]>): void {
    const labels = Math.min(34, Math.max(...counts.map(([label]) => textWidth(label))));
    const largest = Math.max(1, ...counts.map(([, count]) => count));
    const numbers = counts.map(([, count]) => count.toLocaleString('en-US'));
    const digits = Math.max(...numbers.map((number) => number.length));
    const room = Math.max(10, this.width - labels - digits - 6);
    this.indented(
      counts.map(([label, count], index) =>
        `${fitText(label, labels)}  ${numbers[index]!.padStart(digits)}  ${
          this.#style('green', '█'.repeat(Math.max(1, Math.round((count / largest) * room))))
        }`
      ),
    );
  }

  #style(format: Parameters<typeof styleText>[0], text: string): string {
    return styleText(format, text, { stream: this.#stream });
  }
}
