import { ConversionError } from './contract.ts';

/**
 * Maximum nesting depth of XML elements, of groups in RTF and LaTeX, and of lists; Word's own limit for tables is far
 * lower.
 */
export const MAX_DEPTH = 256;

/** Maximum total bytes to which all parts of an archive may unpack; only parts that hold text are unpacked. */
export const MAX_UNPACKED = 128 * 2 ** 20;

/**
 * Maximum number of entries of an archive; a document with a picture on each of a thousand pages has some thousands.
 */
export const MAX_ENTRIES = 20_000;

/** XML of documents is compressed 5 to 40 times, a spreadsheet of zeros 100 times; deflate cannot exceed 1,032. */
export const MAX_RATIO = 200;
/** Below this size in bytes, an archive may have any ratio. */
export const RATIO_FREE = 2 ** 20;

/** Maximum number of elements and texts of one XML part; each takes about 100 bytes of memory. */
export const MAX_XML_NODES = 5_000_000;

/** Maximum number of columns of one table; markdown repeats each in every row. */
export const MAX_COLUMNS = 256;

/** Throws as soon as more text was produced than the file may become. */
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
