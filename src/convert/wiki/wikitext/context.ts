import type { Site } from '../site.ts';
import { Marks } from './writer.ts';

/** What is collected while a page is read. */
export class PageContext {
  readonly site: Site;
  readonly title: string;
  readonly marks = new Marks();
  readonly categories = new Set<string>();
  /** Fields of the page's infoboxes as wikitext, by name. */
  readonly infobox = new Map<string, string>();
  /** Footnotes as wikitext, by number from 1; undefined while only the name is known. */
  readonly notes: (string | undefined)[] = [undefined];
  readonly #named = new Map<string, number>();
  #defined = 0;

  constructor(title: string, site: Site) {
    this.title = title;
    this.site = site;
  }

  /** The mark of a footnote. A name identifies one note, whichever of its occurrences has the text. */
  note(name: string, text: string | undefined): string {
    if (this.notes.length > MAX_NOTES) return '';
    let number = name === '' ? undefined : this.#named.get(name);
    if (number === undefined) {
      number = this.notes.push(undefined) - 1;
      if (name !== '') this.#named.set(name, number);
    }
    if (text !== undefined && text.trim() !== '' && this.notes[number] === undefined) {
      this.notes[number] = text.trim();
      this.#defined++;
    }
    return this.marks.add({ kind: 'note', markdown: `[^${number}]`, plain: '', note: number });
  }

  get hasNotes(): boolean {
    return this.#defined > 0;
  }
}

const MAX_NOTES = 20_000;
