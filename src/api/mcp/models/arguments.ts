import { ServiceError } from '../../../errors/index.ts';
import { closest } from '../../../lib/did-you-mean.ts';
import { roundScore } from '../../../lib/rounded.ts';
import { type JsonSchema, snakeCase } from '../core/arguments.ts';
import type { Arguments } from '../core/tool.ts';
import type { ModelService, ModelTool } from './model-tool.ts';

/** The arguments that identify a document, with the same descriptions in all tools. */
export const DOCUMENT = {
  collection: { type: 'string', description: 'Collection of the document.' },
  key: { type: 'string', description: 'Key of the document in its collection.' },
  lang: { type: 'string', description: "Language code, such as en; the server's default when absent." },
} as const satisfies Record<string, JsonSchema>;

export const FILTER = {
  type: 'object',
  description: 'Only documents with this metadata, such as {"tags": "news"}; a list of values means any of them.',
} as const satisfies JsonSchema;

export const limitOf = (most: number, usual: number): JsonSchema => ({
  type: 'integer',
  minimum: 1,
  maximum: most,
  default: usual,
});

export const OFFSET = {
  type: 'integer',
  minimum: 0,
  description: 'To continue: the next_offset of the previous response.',
} as const satisfies JsonSchema;

/**
 * What has nothing to do with a query is rarely more similar to it, by the model that is included. Others have scales
 * of their own, most of which are higher.
 */
export const DEFAULT_THRESHOLD = 0.15;

export const thresholdOf = (usual: number): JsonSchema => ({
  type: 'number',
  minimum: 0,
  maximum: 1,
  default: usual,
  description: 'Least vector_score of what meaning finds; what words find stays.',
});

export interface Scores {
  readonly score: number;
  readonly vector_score: number | undefined;
}

/** What tells a model how good a result is: the scores that REST returns, as short as they are still of use. */
export function scoresOf(score: number, vectorScore: number): Scores {
  return { score: roundScore(score, 4), vector_score: vectorScore === 0 ? undefined : roundScore(vectorScore, 4) };
}

/** Identifies a document. */
export interface DocumentName {
  readonly collection: string;
  readonly key: string;
  readonly lang: string;
}

/** A key may also be the id of a document, `collection|key|lang`, because no key has that form. */
export function documentOf(args: ModelArguments, { defaultLang }: ModelService): DocumentName {
  const [collection, key, lang] = args.text('key').split('|');
  if (key !== undefined && lang !== undefined) return { collection: collection!, key, lang };
  return { collection: args.text('collection'), key: args.text('key'), lang: args.get<string>('lang') ?? defaultLang };
}

/** Converts Unix seconds to the form in which people and models write a time. */
export function momentOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}

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
    case 'number':
      return readNumber(value, schema);
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

function readNumber(value: unknown, { minimum = -Infinity, maximum = Infinity }: JsonSchema): number | undefined {
  const number = typeof value === 'string' && /^\d{1,15}(?:\.\d{1,15})?$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && number >= (minimum as number) && number <= (maximum as number)
    ? number
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
  if (type === 'number') return `a number from ${String(minimum)} to ${String(maximum)}`;
  return type === 'string' ? 'a text' : 'an object such as {"tags": "news"}';
}
