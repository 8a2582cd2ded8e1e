/** Bytes that one answer may have unless the settings say otherwise (`SVC_MAX_ANSWER_BYTES`). */
export const DEFAULT_ANSWER_BYTES = 16 * 2 ** 20;

/** Counted for each item beside its text: names of fields, numbers, punctuation. */
const ITEM_BYTES = 64;

/** Bytes that are left, for all budgets that share them. */
interface Purse {
  bytes: number;
}

/**
 * How much an answer may still hold. A handler asks for each item before it keeps it and ends its answer with the first
 * one that does not fit, so that memory is bounded by the budget and not by what is stored. The first item always fits:
 * who goes on where an answer ended has to get somewhere.
 */
export class AnswerBudget {
  readonly #purse: Purse;
  #isEmpty = true;
  #isSpent = false;

  constructor(purse: number | Purse = DEFAULT_ANSWER_BYTES) {
    this.#purse = typeof purse === 'number' ? { bytes: purse } : purse;
  }

  /** A budget over the same bytes, with a first item of its own: for operations whose results go into one answer. */
  share(): AnswerBudget {
    return new AnswerBudget(this.#purse);
  }

  /** Bytes that are left. */
  get left(): number {
    return Math.max(0, this.#purse.bytes);
  }

  /** Whether an item did not fit; none fits afterwards. */
  get isSpent(): boolean {
    return this.#isSpent;
  }

  /** Whether one more item fits, which then counts. `textBytes`: the length of its text as UTF-8. */
  take(textBytes: number): boolean {
    if (this.#isSpent) return false;
    const bytes = textBytes + ITEM_BYTES;
    if (!this.#isEmpty && bytes > this.#purse.bytes) {
      this.#isSpent = true;
      return false;
    }
    this.#isEmpty = false;
    this.#purse.bytes -= bytes;
    return true;
  }

  /** Counts what the answer holds beside its items. */
  spend(bytes: number): void {
    this.#purse.bytes -= bytes;
  }

  /** Ends the answer here: the next item is known not to fit. */
  end(): void {
    this.#isSpent = true;
  }

  /** The leading items that fit. */
  fit<T>(items: readonly T[], textBytes: (item: T) => number): readonly T[] {
    const end = items.findIndex((item) => !this.take(textBytes(item)));
    return end === -1 ? items : items.slice(0, end);
  }
}

/** How an answer says that it ended early, and where to go on; nothing when it did not. */
export interface Truncation {
  readonly truncated?: true;
  readonly nextOffset?: number;
}

export function truncationOf(isTruncated: boolean, nextOffset: number): Truncation {
  return isTruncated ? { truncated: true, nextOffset } : {};
}

/** The same in headers, for an answer that is an array. */
export function truncationHeaders(isTruncated: boolean, nextOffset: number): Record<string, string> {
  return isTruncated ? { 'X-Truncated': 'true', 'X-Next-Offset': String(nextOffset) } : {};
}

/** What such headers say, for protocols that have fields for it. */
export function truncationIn(headers: Readonly<Record<string, string>>): Truncation {
  return truncationOf(headers['X-Truncated'] === 'true', Number(headers['X-Next-Offset']));
}
