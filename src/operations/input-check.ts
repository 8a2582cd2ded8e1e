import { type ErrorCode, ServiceError } from '../errors/index.ts';
import { Pace } from '../lib/pace.ts';
import { turns } from '../lib/turns.ts';
import { MAX_ERRORS } from './bounded-keywords.ts';
import type { InputErrors, InputValidator } from './input-validators.ts';
import { InputInspection } from './inspect-input.ts';
import type { OperationSpec } from './spec.ts';
import { ignoredFieldMessage, MAX_FOUND, type UnknownField, type UnknownFieldFinder, unknownFieldFinder,
  unknownFieldMessage } from './unknown-fields.ts';

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
  return { path: move(path), ...(meant !== undefined && { meant: move(meant) }) };
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
  throw new ServiceError(code, message, errors.length > 1 ? { errors } : {});
}
