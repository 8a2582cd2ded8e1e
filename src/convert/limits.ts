import { ConversionError } from './contract.ts';

/** Elements of XML, groups of RTF and LaTeX, and lists inside lists may be nested so deep; Word's own limit for tables is far below. */
export const MAX_DEPTH = 256;

/** Most bytes that all the parts of an archive may unpack to; only those that hold text are unpacked. */
export const MAX_UNPACKED = 128 * 2 ** 20;

/** Most entries of an archive; a document with a picture on each of a thousand pages has some thousands. */
export const MAX_ENTRIES = 20_000;

/** XML of documents packs 5 to 40 times, a spreadsheet of zeros 100 times; deflate cannot exceed 1,032. */
export const MAX_RATIO = 200;
/** Below this size an archive may have any ratio. */
export const RATIO_FREE = 2 ** 20;

/** Most elements and texts of one XML part; each takes about 100 bytes of memory. */
export const MAX_XML_NODES = 5_000_000;

/** Most columns of one table; markdown repeats each in every row. */
export const MAX_COLUMNS = 256;

/** Throws once more text was made than the file may become. */
export class OutputBudget {
  #left: number;
  readonly #most: number;

  constructor(most: number) {
    this.#left = most;
    this.#most = most;
  }

  /** @throws ConversionError `too_large` */
  take(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0) throw tooMuchOutput(this.#most);
  }
}

export function tooMuchOutput(most: number): ConversionError {
  return new ConversionError('too_large', `becomes more than ${most.toLocaleString('en-US')} characters of text`);
}

export function tooDeep(what: string): ConversionError {
  return new ConversionError('too_deep', `has ${what} nested more than ${MAX_DEPTH} deep`);
}
