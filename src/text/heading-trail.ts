import { type Heading, headingLinesOf } from './headings.ts';

/** Characters of a title or heading that count. */
const MAX_CHARACTERS = 160;

/**
 * What stands above lines of a Markdown document: its title, and the headings that a line is under, the outermost first. A
 * document without a title of its own has its first heading as such. Lines are asked for in ascending order.
 */
export class HeadingTrail {
  readonly #title: string | undefined;
  readonly #headings: readonly Heading[];
  #next = 0;
  #above: readonly Heading[] = [];

  constructor(markdown: string, title: string | undefined) {
    this.#title = title?.trim() || undefined;
    this.#headings = headingLinesOf(markdown);
  }

  /** Titles and headings above a line, from 1, each on a line of its own; empty when there are none. */
  above(line: number): string {
    for (let heading; (heading = this.#headings[this.#next]) !== undefined && heading.line < line; this.#next++) {
      const { level } = heading;
      this.#above = [...this.#above.filter((other) => other.level < level), heading];
    }
    const trail = this.#above.map(({ text }) => text);
    const title = this.#title ?? (this.#next > 0 ? this.#headings[0]!.text : undefined);
    const all = title === undefined || trail[0] === title ? trail : [title, ...trail];
    return all.map((text) => text.slice(0, MAX_CHARACTERS)).join('\n');
  }
}
