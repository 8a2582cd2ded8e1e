import { type AnswerBudget, truncationHeaders, truncationOf } from './answer-budget.ts';
import { Reply } from './handler.ts';

/** The items of its list that a response should contain; all that fit if there is no limit. */
interface PageInput {
  readonly offset?: number;
  readonly limit?: number;
}

/**
 * The answer with one page of its list: at most `limit` items from `offset` on, and no more than fit the budget by
 * their size as JSON. `list` names the field with the list; `*` means that the response is the list itself (`x-pages`).
 * As everywhere, `truncated` means that items did not fit: a page that ended at its limit is complete. Counts are those
 * of the whole list; if the response is the list itself, its count is in `X-Total-Count`. A response without the list,
 * for example one resource, is not changed.
 */
export function pageOf<T>(list: string, reply: Reply<T>, input: object, budget: AnswerBudget): Reply<T> {
  const { value, headers, status } = reply;
  const all: unknown = list === '*' ? value : (value as Readonly<Record<string, unknown>>)[list];
  if (!Array.isArray(all)) return reply;
  const { offset = 0, limit = all.length } = input as PageInput;
  const items = budget.fit(all.slice(offset, offset + limit), sizeOf);
  const end = [budget.isSpent, offset + items.length] as const;
  if (list !== '*') return new Reply({ ...value, [list]: items, ...truncationOf(...end) }, headers, status);
  return new Reply(items as T, { ...headers, 'X-Total-Count': String(all.length), ...truncationHeaders(...end) },
    status);
}

function sizeOf(item: unknown): number {
  return Buffer.byteLength(JSON.stringify(item));
}

/**
 * A copy of a response without the fields at these dotted paths, which also apply to the items of lists. Values without
 * any of the fields are not copied.
 */
export function withoutFields(value: unknown, paths: readonly string[]): unknown {
  return paths.reduce(
    (whole, path) => changed(whole, path.split('.'), ({ [path.slice(path.lastIndexOf('.') + 1)]: _, ...rest }) => rest),
    value,
  );
}

/**
 * A copy of a response with other values at these dotted paths: 0, or that of the field beside it that is named. Absent
 * fields stay absent.
 */
export function unreadFields(value: unknown, replacements: Readonly<Record<string, string | 0>>): unknown {
  return Object.entries(replacements).reduce((whole, [path, by]) => {
    const names = path.split('.');
    return changed(whole, names, (owner) => ({ ...owner, [names.at(-1)!]: by === 0 ? 0 : owner[by] }));
  }, value);
}

/** The value at a dotted path of an input that may not have been validated; undefined where there is none. */
export function valueAt(value: unknown, path: string): unknown {
  return path.split('.').reduce(
    (found, name) => (isObject(found) && Object.hasOwn(found, name) ? found[name] : undefined),
    value,
  );
}

/** A copy in which every object that has the field at the end of a path is changed. */
function changed(value: unknown, [name, ...deeper]: readonly string[],
  change: (owner: Record<string, unknown>) => unknown): unknown
{
  if (Array.isArray(value)) return value.map((item) => changed(item, [name!, ...deeper], change));
  if (!isObject(value) || !Object.hasOwn(value, name!)) return value;
  return deeper.length === 0 ? change(value) : { ...value, [name!]: changed(value[name!], deeper, change) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** Header with the warnings of a response that is not an object. */
const WARNINGS_HEADER = 'X-Warnings';

/** Maximum number of bytes of the header, because clients and proxies limit the total size of all headers. */
const MAX_HEADER = 1024;

/**
 * The response with the ignored parts of its request (`SVC_STRICT_INPUT=false`): in the field `warnings` of an object,
 * after warnings of its own, and in the header `X-Warnings`, as a JSON array, for a list or a file.
 */
export function withWarnings<T>(reply: Reply<T>, warnings: readonly string[]): Reply<T> {
  if (warnings.length === 0) return reply;
  const { value, headers, status } = reply;
  if (!isPlainObject(value)) return new Reply(value, { ...headers, [WARNINGS_HEADER]: headerText(warnings) }, status);
  const { warnings: own = [] } = value as { warnings?: readonly string[] };
  return new Reply({ ...value, warnings: [...own, ...warnings] }, headers, status);
}

/** The warnings that `withWarnings` put into the headers of a reply. */
export function warningsIn(headers: Readonly<Record<string, string>>): { readonly warnings?: readonly string[] } {
  const text = headers[WARNINGS_HEADER];
  return text === undefined ? {} : { warnings: JSON.parse(text) as string[] };
}

/** The name and content of a file are not fields of a response. */
function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) &&
    !('content' in value && 'contentType' in value);
}

/** ASCII, because clients interpret other characters in headers differently. */
function headerText(warnings: readonly string[]): string {
  let kept = warnings;
  while (kept.length > 1 && asciiJson(kept).length > MAX_HEADER) kept = kept.slice(0, -1);
  return asciiJson(kept);
}

function asciiJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[^ -~]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
