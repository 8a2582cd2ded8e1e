import { ServiceError } from '../../../errors/index.ts';
import { closest } from '../../../lib/did-you-mean.ts';
import { snakeCase } from '../core/arguments.ts';
import type { JsonSchema } from '../core/json-schema.ts';
import type { Arguments } from '../core/tool.ts';
import type { ModelTool } from './model-tool.ts';

/** The arguments of a call by their advertised names, converted to their types. */
export class ModelArguments {
  readonly #values: ReadonlyMap<string, unknown>;

  constructor(values: ReadonlyMap<string, unknown>) {
    this.#values = values;
  }

  /** A required text. */
  text(name: string): string {
    return this.#values.get(name) as string;
  }

  /** Undefined if it is absent. */
  get<T extends string | number | object>(name: string): T | undefined {
    return this.#values.get(name) as T | undefined;
  }

  /** Only those of these arguments that are present, under the operation's names. */
  pick(names: Readonly<Record<string, string>>): Record<string, unknown> {
    return Object.fromEntries(
      Object.entries(names).flatMap((
        [name, field],
      ) => (this.#values.has(name) ? [[field, this.#values.get(name)]] : [])),
    );
  }
}

const SHOWN = 60;

/**
 * Reads arguments leniently, as a model may have meant them: names in camelCase, numbers and objects as text, empty
 * values for absent ones. Throws `invalid_argument` or `missing_fields` with a message that names all errors and shows
 * valid arguments.
 */
export function readArguments(tool: Pick<ModelTool, 'properties' | 'required' | 'example'>,
  args: Arguments): ModelArguments
{
  const values = new Map<string, unknown>();
  const problems: string[] = [];
  for (const [given, value] of Object.entries(args)) {
    const name = snakeCase(given);
    const schema = Object.hasOwn(tool.properties, name) ? tool.properties[name] : undefined;
    if (schema === undefined) problems.push(unknownArgument(given, Object.keys(tool.properties)));
    else if (!isEmpty(value, schema)) {
      const read = readValue(value, schema);
      if (read === undefined)
        problems.push(`${name} must be ${expected(schema)}, got ${(JSON.stringify(value) ?? '').slice(0, SHOWN)}`);
      else values.set(name, read);
    }
  }
  const missing = tool.required.filter((name) =>
    !values.has(name) && !problems.some((problem) => problem.startsWith(`${name} `))
  );
  if (problems.length + missing.length === 0) return new ModelArguments(values);
  const all = [...(missing.length > 0 ? [`missing fields: ${missing.join(', ')}`] : []), ...problems];
  const code = problems.length === 0 ? 'missing_fields' : 'invalid_argument';
  throw new ServiceError(code, all.join('; '), {
    body: { advice: `send arguments such as ${JSON.stringify(tool.example)}` },
  });
}

function unknownArgument(given: string, names: readonly string[]): string {
  const meant = closest(given, names);
  return `there is no argument ${given.slice(0, SHOWN)}${
    meant === undefined ? `; there are ${names.join(', ')}` : `; did you mean ${meant}?`
  }`;
}

/** Models send empty values for arguments that they omit; texts that may be empty are marked as such. */
function isEmpty(value: unknown, { minLength }: JsonSchema): boolean {
  return value === null || value === undefined || (value === '' && minLength !== 0);
}

function readValue(value: unknown, schema: JsonSchema): unknown {
  switch (schema.type) {
    case 'string':
      return readText(value, schema);
    case 'integer':
      return readInteger(value, schema);
    default:
      return readObject(value);
  }
}

function readText(value: unknown, { enum: words }: JsonSchema): string | undefined {
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  if (typeof text !== 'string') return undefined;
  return words === undefined || (words as readonly string[]).includes(text) ? text : undefined;
}

function readInteger(value: unknown, { minimum = 0, maximum = Number.MAX_SAFE_INTEGER }: JsonSchema): number
  | undefined
{
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return Number.isInteger(number) && (number as number) >= (minimum as number) &&
      (number as number) <= (maximum as number)
    ? (number as number)
    : undefined;
}

function readObject(value: unknown): object | undefined {
  if (typeof value === 'string') {
    try {
      return readObject(JSON.parse(value));
    } catch {
      return undefined;
    }
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

function expected({ type, enum: words, minimum, maximum }: JsonSchema): string {
  if (words !== undefined) return `one of ${(words as readonly string[]).join(', ')}`;
  if (type === 'integer')
    return maximum === undefined
      ? `an integer from ${String(minimum ?? 0)}`
      : `an integer from ${String(minimum ?? 0)} to ${String(maximum)}`;
  return type === 'string' ? 'a text' : 'an object such as {"tags": "news"}';
}
