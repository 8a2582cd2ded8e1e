/** A page of a dump with its newest revision, which is the last one that the dump has. */
export interface WikiPage {
  readonly title: string;
  readonly ns: number;
  readonly id: string;
  /** Title of the page that it redirects to, by the dump's own word; undefined for other pages. */
  readonly redirect: string | undefined;
  /** Undefined for a page without one. */
  readonly revision: Revision | undefined;
}

export interface Revision {
  readonly id: string;
  /** ISO 8601, as the dump has it. */
  readonly timestamp: string;
  /** Name or address; empty where it was hidden. */
  readonly contributor: string;
  /** What the text is, such as `wikitext` or `Scribunto`. */
  readonly model: string;
  /** Empty where it was hidden. */
  readonly text: string;
  /** Whether the text is longer than pages may be, and so is left out. */
  readonly isTooLong: boolean;
}

/** A dump that cannot be read on; the message is a sentence. */
export class WikiDumpError extends Error {
  override readonly name = 'WikiDumpError';
  /** Whether more is asked for than is read, rather than something wrong. */
  readonly isTooLarge: boolean;

  constructor(message: string, { isTooLarge = false, cause }: { isTooLarge?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.isTooLarge = isTooLarge;
  }
}
