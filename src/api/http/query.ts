import { ServiceError } from '../../errors/index.ts';
import { didYouMean } from '../../lib/did-you-mean.ts';
import type { OperationSpec, ParameterSpec } from '../../operations/index.ts';

/** The values of each parameter of a query string, in their order in the string. */
export type Query = ReadonlyMap<string, readonly string[]>;

/**
 * Reads a query string. Throws `invalid_argument` for an invalid escape: the platform would insert a replacement
 * character.
 */
export function parseQuery(text: string): Query {
  checkEscapes(text);
  const query = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(text)) {
    const values = query.get(name);
    if (values === undefined) query.set(name, [value]);
    else values.push(value);
  }
  return query;
}

function checkEscapes(text: string): void {
  try {
    if (text.includes('%')) decodeURIComponent(text);
  } catch (cause) {
    throw new ServiceError('invalid_argument', 'the query string is not valid UTF-8, percent-encoded', { cause });
  }
}

/**
 * Returns the key of an object parameter that a name contains: `meta[category]` and `meta.category` contain `category`
 * of `meta`. Clients that write a list as `meta[category][]` mean the same. Returns undefined if the
 * name contains none.
 */
export function keyOf(parameter: string, name: string): string | undefined {
  if (!name.startsWith(parameter)) return undefined;
  const rest = name.slice(parameter.length);
  const key = rest.startsWith('.') ? rest.slice(1) : /^\[(.+?)\](?:\[\])?$/s.exec(rest)?.[1];
  // A deeper path is not accepted, because values are texts.
  return key === undefined || key === '' || key.includes('][') ? undefined : key;
}

/**
 * A parameter that the operation does not have: its name in quotation marks and, after a semicolon, what to write
 * instead.
 */
export interface UnknownParameter {
  readonly name: string;
  readonly hint: string;
}

/** Finds unknown parameters. A filter that was silently ignored would look like a filter that excluded nothing. */
export function unknownParameters({ method, path, parameters }: OperationSpec, query: Query): UnknownParameter[] {
  const known = parameters.filter((parameter) => parameter.in === 'query');
  return [...query.keys()].filter((name) => !known.some((parameter) => isNamed(parameter, name))).slice(0, MAX_REPORTED)
    .map((name) => ({
      name: `"${name.slice(0, SHOWN).toWellFormed()}"`,
      hint: hint(known, name, `${method} ${path}`),
    }));
}

const MAX_REPORTED = 20;

const SHOWN = 80;

function isNamed(parameter: ParameterSpec, name: string): boolean {
  return parameter.name === name || (parameter.type === 'object' && keyOf(parameter.name, name) !== undefined);
}

function hint(known: readonly ParameterSpec[], name: string, operation: string): string {
  if (known.length === 0) return `; ${operation} takes none`;
  const base = name.split(/[.[]/, 1)[0]!;
  const object = known.find((parameter) => parameter.type === 'object' && parameter.name === base);
  if (object !== undefined)
    return `; write ${object.name}[KEY]=VALUE with one key, such as ${object.name}[category]=news`;
  const names = known.map((parameter) => parameter.name);
  // Generated clients used to send a filter here as a field of its own.
  const filter = known.find((parameter) => parameter.type === 'object');
  const near = didYouMean(name, names) || didYouMean(base, names);
  return near ||
    (filter === undefined
      ? `; ${operation} takes ${names.join(', ')}`
      : `; metadata are filtered by ${filter.name}[${name.slice(0, SHOWN).toWellFormed()}]=...`);
}
