import { type Heading, headingLinesOf } from './headings.ts';

/** Maximum number of characters of a title or heading. */
const MAX_CHARACTERS = 160;

/**
 * The context of lines in a Markdown document: its title, and the headings above a line, the outermost first. The first
 * heading serves as the title of a document without one. Lines must be requested in ascending order.
 */
export class HeadingTrail {
  readonly #title: string | undefined;
  readonly #headings: readonly Heading[];
  #next = 0;
  #above: readonly Heading[] = [];
  /** The context of the last line. */
  #context: string | undefined;

  constructor(markdown: string, title: string | undefined) {
    this.#title = title?.trim() || undefined;
    this.#headings = headingLinesOf(markdown);
  }

  /** The title and headings of a line (counted from 1), each on a line of its own; empty if there are none. */
  above(line: number): string {
    for (let heading; (heading = this.#headings[this.#next]) !== undefined && heading.line < line; this.#next++) {
      const { level } = heading;
      this.#above = [...this.#above.filter((other) => other.level < level), heading];
      this.#context = undefined;
    }
    return this.#context ??= this.#read();
  }

  #read(): string {
    const trail = this.#above.map(({ text }) => text);
    const title = this.#title ?? (this.#next > 0 ? this.#headings[0]!.text : undefined);
    const all = title === undefined || trail[0] === title ? trail : [title, ...trail];
    return all.map((text) => text.slice(0, MAX_CHARACTERS)).join('\n');
  }
}
