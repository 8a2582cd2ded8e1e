import { type ErrorCode, ServiceError } from '../errors/index.ts';
import { formatByteSize } from '../lib/byte-size.ts';
import { type JsonLimits, MAX_KEYS } from '../lib/json-scanner.ts';
import { Pace } from '../lib/pace.ts';
import { turns } from '../lib/turns.ts';
import type { InputErrors, InputValidator } from './input-validators.ts';
import type { OperationSpec } from './spec.ts';
import { ignoredFieldMessage, MAX_FOUND, type UnknownField, type UnknownFieldFinder, unknownFieldFinder,
  unknownFieldMessage } from './unknown-fields.ts';
import { MAX_ERRORS } from './validation.ts';

/**
 * Validates and completes an input, and returns the fields that are ignored: at once, or in steps where a list of it is
 * long.
 */
export type InputCheck = (spec: OperationSpec, id: string, validator: InputValidator, input: object) =>
  | readonly string[]
  | Promise<readonly string[]>;

/** Items of a list that are checked at once. */
const STEP = 64;

/** What a check has found; it ends with enough of either. */
interface Findings {
  readonly errors: InputErrors;
  readonly unknown: readonly UnknownField[];
}

/** `strict` is that of `InvokerOptions`. */
export function createInputCheck(schemas: Readonly<Record<string, object>>, strict: boolean | undefined): InputCheck {
  const finders = new Map<string, UnknownFieldFinder>();
  const finderOf = (id: string): UnknownFieldFinder => {
    const finder = strict === undefined ? () => [] : (finders.get(id) ?? unknownFieldFinder(schemas[id]!));
    finders.set(id, finder);
    return finder;
  };
  const conclude = (spec: OperationSpec, validator: InputValidator,
    { errors, unknown }: Findings): readonly string[] =>
  {
    refuse(spec, validator, errors, strict === true ? unknown.map(unknownFieldMessage) : []);
    return unknown.map(ignoredFieldMessage);
  };
  return (spec, id, validator, input) => {
    const find = finderOf(id);
    const list = longList(validator, input);
    if (list !== undefined)
      return findInSteps(spec, validator, input as Record<string, unknown>, list, find).then((found) =>
        conclude(spec, validator, found)
      );
    const inspection = new InputInspection(spec);
    inspection.inspect(input);
    if (inspection.values > MANY_VALUES)
      return findInTurns(validator, input, find).then((found) => conclude(spec, validator, found));
    const unknown = find(input);
    return conclude(spec, validator, { errors: validator.errorsOf(input), unknown });
  };
}

/**
 * Values of an input that is inspected in one turn of the event loop and validated in the next; validating that many
 * takes a few milliseconds.
 */
const MANY_VALUES = 10_000;

/** A large input without a long list, such as a shape: other work may come before and after its validation. */
async function findInTurns(validator: InputValidator, input: object, find: UnknownFieldFinder): Promise<Findings> {
  await turns.loop();
  const found = { unknown: find(input), errors: validator.errorsOf(input) };
  await turns.loop();
  return found;
}

interface LongList {
  readonly field: string;
  readonly items: readonly unknown[];
}

/**
 * The list of an input that is too long to be checked at once. No item is looked at of a list that is longer than its
 * schema allows.
 */
function longList({ list }: InputValidator, input: object): LongList | undefined {
  const items = list === undefined ? undefined : (input as Record<string, unknown>)[list.field];
  return Array.isArray(items) && items.length > STEP && items.length <= list!.maxItems
    ? { field: list!.field, items }
    : undefined;
}

/** Checks the input with the first items of its list, then the other items, with rests. */
async function findInSteps(spec: OperationSpec, validator: InputValidator, input: Record<string, unknown>,
  { field, items }: LongList, find: UnknownFieldFinder): Promise<Findings>
{
  const inspection = new InputInspection(spec);
  const pace = new Pace();
  const { [field]: _, ...rest } = input;
  inspection.inspect(rest);
  for (const [i, item] of items.entries()) {
    inspection.inspect(item, `${field}[${i}]`, 2);
    if (pace.isDue) await pace.rest();
  }
  const found: { errors: InputErrors; unknown: UnknownField[] } = { errors: [], unknown: [] };
  for (let from = 0; from < items.length && found.errors.length < MAX_ERRORS; from += STEP) {
    const part = items.slice(from, from + STEP);
    if (from === 0) withList(input, field, part, () => void found.errors.push(...validator.errorsOf(input)));
    else found.errors.push(
        ...validator.errorsOf({ [field]: part }).filter(({ instancePath }) => instancePath.startsWith(`/${field}/`))
          .map((error) => ({
            ...error,
            instancePath: `/${field}${moved(error.instancePath.slice(field.length + 1), from)}`,
          })),
      );
    const unknown = find(from === 0 ? { ...rest, [field]: part } : { [field]: part });
    found.unknown.push(
      ...unknown.slice(0, MAX_FOUND - found.unknown.length).map((each) => movedField(each, field, from)),
    );
    if (pace.isDue) await pace.rest();
  }
  return found;
}

/** Defaults are filled into the input itself. */
function withList(input: Record<string, unknown>, field: string, part: readonly unknown[], work: () => void): void {
  const all = input[field];
  input[field] = part;
  try {
    work();
  } finally {
    input[field] = all;
  }
}

/** `/3/key` or `[3].key` with the index that the item has in the whole list. */
const moved = (path: string, by: number): string => path.replace(/\d+/, (index) => String(Number(index) + by));

/** Only the paths of items begin with the list and an index. */
function movedField({ path, meant }: UnknownField, field: string, by: number): UnknownField {
  const move = (
    text: string,
  ): string => (text.startsWith(`${field}[`) ? `${field}${moved(text.slice(field.length), by)}` : text);
  return { path: move(path), meant: meant && move(meant) };
}

/** Throws the errors of an input, unknown fields first, with the code from the specification. */
function refuse(spec: OperationSpec, validator: InputValidator, found: InputErrors, unknown: readonly string[]): void {
  const violations = found.length === 0 ? undefined : validator.describe(found);
  if (violations === undefined && unknown.length === 0) return;
  const code = (spec.error ?? violations?.fieldError ?? violations?.code ?? 'invalid_argument') as ErrorCode;
  const errors = [...unknown, ...(violations?.errors ?? [])];
  const message = [...unknown, ...(violations === undefined ? [] : [violations.message])].reduce((text, next) =>
    `${text}${text.endsWith('?') ? '' : ';'} ${next}`
  );
  throw new ServiceError(code, message, { errors: errors.length > 1 ? errors : undefined });
}

/** Maximum nesting of arrays and objects in an input. */
const MAX_DEPTH = 64;

type Rules = Pick<OperationSpec, 'sanitize' | 'maxBody' | 'maxValues'>;

/** The same limits for a JSON text that is to become an input. */
export function inputLimits(
  { maxValues = Infinity, maxItems }: Pick<OperationSpec, 'maxValues' | 'maxItems'>,
): JsonLimits {
  return { maxValues, maxItems, maxDepth: MAX_DEPTH };
}

interface Problem {
  readonly path: string;
  readonly reason: string;
}

/**
 * Refuses inputs that a schema cannot detect: more text or values than the operation takes, in whichever protocol they
 * came; objects of very many fields; nesting that would exhaust the stack of code that walks the value later; numbers
 * that are not finite, which JSON lacks; and, unless the operation repairs text itself, strings with lone surrogates,
 * which UTF-8 cannot store. It stops at the first problem.
 */
class InputInspection {
  readonly #sanitize: boolean;
  readonly #maxBytes: number;
  readonly #maxValues: number;
  #bytes = 0;
  #values = 0;

  constructor({ sanitize, maxBody = Infinity, maxValues = Infinity }: Rules) {
    this.#sanitize = sanitize;
    this.#maxBytes = maxBody;
    this.#maxValues = maxValues;
  }

  /** Values that were inspected. */
  get values(): number {
    return this.#values;
  }

  /** Inspects a part of the input, `path`; what was inspected before counts, too. The message names the field. */
  inspect(value: unknown, path = '', depth = 0): void {
    const problem = this.#inspect(value, depth);
    if (this.#bytes > this.#maxBytes)
      throw new ServiceError('payload_too_large',
        `the input has more than ${formatByteSize(this.#maxBytes)}; send less at once`);
    if (this.#values > this.#maxValues)
      throw new ServiceError('invalid_argument',
        `the input must not have more than ${this.#maxValues} values; send less at once`);
    if (problem === undefined) return;
    const field = `${path}${problem.path}`.replace(/^\./, '') || 'the input';
    throw new ServiceError('invalid_argument', `${field} ${problem.reason}`);
  }

  #inspect(value: unknown, depth: number): Problem | undefined {
    if (typeof value === 'string') {
      this.#bytes += value.length;
      return this.#sanitize || value.isWellFormed() ? undefined : { path: '', reason: 'must be valid Unicode text' };
    }
    if (typeof value === 'number')
      return Number.isFinite(value) ? undefined : { path: '', reason: `must be a finite number, got ${value}` };
    if (value === null || typeof value !== 'object') return undefined;
    if (depth > MAX_DEPTH) return { path: '', reason: `must not be nested deeper than ${MAX_DEPTH} levels` };
    // Bytes of a file are not values.
    if (ArrayBuffer.isView(value)) return undefined;
    return Array.isArray(value) ? this.#inspectArray(value, depth) : this.#inspectObject(value, depth);
  }

  get #isFull(): boolean {
    return this.#bytes > this.#maxBytes || this.#values > this.#maxValues;
  }

  #inspectArray(values: readonly unknown[], depth: number): Problem | undefined {
    for (let i = 0; i < values.length; i++) {
      this.#values += 1;
      const problem = this.#inspect(values[i], depth + 1);
      if (problem) return { ...problem, path: `[${i}]${problem.path}` };
      if (this.#isFull) return undefined;
    }
    return undefined;
  }

  #inspectObject(value: object, depth: number): Problem | undefined {
    const keys = Object.keys(value);
    if (keys.length > MAX_KEYS) return { path: '', reason: `must not have more than ${MAX_KEYS} fields` };
    for (const key of keys) {
      this.#values += 1;
      this.#bytes += key.length;
      if (!this.#sanitize && !key.isWellFormed()) return { path: '', reason: 'must have keys of valid Unicode text' };
      const problem = this.#inspect((value as Record<string, unknown>)[key], depth + 1);
      if (problem) return { ...problem, path: `.${key.slice(0, 80)}${problem.path}` };
      if (this.#isFull) return undefined;
    }
    return undefined;
  }
}
