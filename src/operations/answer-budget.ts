/** Default maximum size of one response in bytes (`SVC_MAX_ANSWER_BYTES`). */
export const DEFAULT_ANSWER_BYTES = 16 * 2 ** 20;

/** Bytes counted for each item in addition to its text: names of fields, numbers, punctuation. */
const ITEM_BYTES = 64;

/** Remaining bytes, shared by all budgets of one response. */
interface Purse {
  bytes: number;
}

/**
 * The remaining size of a response. A handler checks each item before it keeps it, and ends its response at the first
 * one that does not fit, so that memory is limited by the budget and not by the stored data. The first item always
 * fits, so that a client that continues where a response ended makes progress.
 */
export class AnswerBudget {
  readonly #purse: Purse;
  #isEmpty = true;
  #isSpent = false;

  constructor(purse: number | Purse = DEFAULT_ANSWER_BYTES) {
    this.#purse = typeof purse === 'number' ? { bytes: purse } : purse;
  }

  /**
   * A budget over the same bytes that has its own first item, for operations whose results are combined in one
   * response.
   */
  share(): AnswerBudget {
    return new AnswerBudget(this.#purse);
  }

  /** Remaining bytes. */
  get left(): number {
    return Math.max(0, this.#purse.bytes);
  }

  /** Whether an item did not fit; no later item fits either. */
  get isSpent(): boolean {
    return this.#isSpent;
  }

  /** Returns whether one more item fits, and counts it if it does. `textBytes`: the length of its text in UTF-8. */
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

  /** Counts parts of the response other than its items. */
  spend(bytes: number): void {
    this.#purse.bytes -= bytes;
  }

  /** Returns a function that takes back what was counted since, for work that begins anew. */
  mark(): () => void {
    const [bytes, isEmpty, isSpent] = [this.#purse.bytes, this.#isEmpty, this.#isSpent];
    return () => {
      this.#purse.bytes = bytes;
      this.#isEmpty = isEmpty;
      this.#isSpent = isSpent;
    };
  }

  /** Ends the response here, because the next item is known not to fit. */
  end(): void {
    this.#isSpent = true;
  }

  /** Returns the leading items that fit. */
  fit<T>(items: readonly T[], textBytes: (item: T) => number): readonly T[] {
    const end = items.findIndex((item) => !this.take(textBytes(item)));
    return end === -1 ? items : items.slice(0, end);
  }
}

/** The fields that say that a response ended early and where to continue; none if it did not. */
export interface Truncation {
  readonly truncated?: true;
  readonly nextOffset?: number;
}

export function truncationOf(isTruncated: boolean, nextOffset: number): Truncation {
  return isTruncated ? { truncated: true, nextOffset } : {};
}

/** The same as headers, for a response that is an array. */
export function truncationHeaders(isTruncated: boolean, nextOffset: number): Record<string, string> {
  return isTruncated ? { 'X-Truncated': 'true', 'X-Next-Offset': String(nextOffset) } : {};
}

/** Parses such headers, for protocols that have fields for them. */
export function truncationIn(headers: Readonly<Record<string, string>>): Truncation {
  return truncationOf(headers['X-Truncated'] === 'true', Number(headers['X-Next-Offset']));
}
