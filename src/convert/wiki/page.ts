/** A page of a dump with its newest revision, the last one in the dump. */
export interface WikiPage {
  readonly title: string;
  readonly ns: number;
  readonly id: string;
  /** Title of the page to which it redirects according to the dump; undefined for other pages. */
  readonly redirect: string | undefined;
  /** Undefined for a page without one. */
  readonly revision: Revision | undefined;
}

export interface Revision {
  readonly id: string;
  /** ISO 8601, as in the dump. */
  readonly timestamp: string;
  /** Name or address; empty if it was hidden. */
  readonly contributor: string;
  /** The content model, such as `wikitext` or `Scribunto`. */
  readonly model: string;
  /** Empty if it was hidden. */
  readonly text: string;
  /** Whether the text exceeds the maximum length of a page and was left out. */
  readonly isTooLong: boolean;
}

/** A dump that cannot be read further; the message is a sentence. */
export class WikiDumpError extends Error {
  override readonly name = 'WikiDumpError';
  /** Whether a limit was exceeded, as opposed to an error in the dump. */
  readonly isTooLarge: boolean;

  constructor(message: string, { isTooLarge = false, cause }: { isTooLarge?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.isTooLarge = isTooLarge;
  }
}
