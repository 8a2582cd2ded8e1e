/** What a JSON text may hold, which is checked before any of it becomes a value. */
export interface JsonLimits {
  /** Most values: each comma and each opening bracket counts, so that the text `[{"a": 1}, 2]` has three. */
  readonly maxValues: number;
  /** Most levels of lists and objects below the outermost one. */
  readonly maxDepth: number;
  /** Most items of the lists in fields of the outermost object, by the name of the field. */
  readonly maxItems?: Readonly<Record<string, number>> | undefined;
}

/** Most fields of one object: a field with a new name costs as much as ten numbers in a list. */
export const MAX_KEYS = 10_000;

/**
 * A JSON text holds more than its limits allow. The message is a clause that follows the name of the text, or of the
 * field if there is one.
 */
export class JsonTooLarge extends Error {
  readonly field: string | undefined;

  constructor(message: string, field?: string) {
    super(message);
    this.name = 'JsonTooLarge';
    this.field = field;
  }
}
