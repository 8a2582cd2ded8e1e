import { MAX_FIELDS, PLAIN_FIELDS } from '../../kernels/inverted.ts';

/**
 * A field of a document. 0 is its content; 1 to 4 are fields that most documents have, whose meaning the caller
 * defines; 5 and 6 are derived: their text also occurs in other fields, so they count only if weights name them, and
 * never in phrases. Every other field has a name. Names get numbers in the order in which they appear, at most 1,000;
 * later names share a field.
 */
export type Field = number | string;

/** The field that is shared by the names for which no number is left. */
export const SHARED_FIELD = PLAIN_FIELDS;
const FIRST_NAMED = SHARED_FIELD + 1;
export const MAX_NAMED_FIELDS = 1000;

if (FIRST_NAMED + MAX_NAMED_FIELDS > MAX_FIELDS) throw new Error('more named fields than the kernel has numbers for');

/** The numbers of an index's named fields. They are never reused, because postings contain them. */
export class FieldNumbers {
  readonly #names: string[];
  readonly #numbers: Map<string, number>;

  constructor(names: readonly string[] = []) {
    this.#names = [...names];
    this.#numbers = new Map(names.map((name, i) => [name, FIRST_NAMED + i]));
  }

  /** The number of a field; a new name gets a number. */
  use(field: Field): number {
    const known = this.find(field);
    if (known !== undefined) return known;
    const number = FIRST_NAMED + this.#names.length;
    this.#names.push(field as string);
    this.#numbers.set(field as string, number);
    return number;
  }

  /** The number of a field; undefined for a name that no document has had. */
  find(field: Field): number | undefined {
    if (typeof field === 'number') return checkField(field);
    return this.#numbers.get(field) ?? (this.#names.length < MAX_NAMED_FIELDS ? undefined : SHARED_FIELD);
  }

  /** The field with the given number. */
  nameOf(number: number): Field {
    return number < FIRST_NAMED ? number : this.#names[number - FIRST_NAMED]!;
  }

  /** Whether each of these names, the nth of which has the nth number, has that number here, or would get it next. */
  agreesWith(names: readonly string[]): boolean {
    return names.every((name, i) => (i < this.#names.length ? this.#names[i] === name : !this.#numbers.has(name)));
  }

  names(): readonly string[] {
    return this.#names;
  }
}

/** Throws a RangeError for a number that belongs to no field. */
export function checkField(field: number): number {
  if (!(Number.isInteger(field) && field >= 0 && field <= SHARED_FIELD))
    throw new RangeError(`a field is a name or a number from 0 to ${SHARED_FIELD}, got ${field}`);
  return field;
}
