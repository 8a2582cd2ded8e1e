import { ServiceError } from '../../../errors/index.ts';

type Fields = ReadonlyMap<string, { readonly name: string; readonly schema: JsonSchema }>;

/** Nesting depth; deeper values are left as they are, because every operation rejects them. */
const MAX_DEPTH = 64;

/** Converts `filterMeta` to `filter_meta`, `sourceDocID` to `source_doc_id`. */
export function snakeCase(name: string): string {
  return name.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase();
}

/**
 * Converts arguments to the input of an operation: fields that the schema declares are accepted in snake_case and in
 * camelCase, at every depth; the keys of free maps, such as metadata, stay as they are. Throws if a
 * field occurs in both spellings.
 */
export class ArgumentReader {
  readonly #root: JsonSchema;
  readonly #fields = new WeakMap<JsonSchema, Fields>();

  /** `schema` is that of the operation's input, with its own definitions. */
  constructor(schema: JsonSchema) {
    this.#root = schema;
  }

  read(args: Readonly<Record<string, unknown>>): Record<string, unknown> {
    return this.#rename(args, this.#root, 0) as Record<string, unknown>;
  }

  /** Returns the name in the operation's input of a field in either spelling; undefined if there is none. */
  fieldOf(name: string): string | undefined {
    return this.#fieldsOf(this.#root).get(name)?.name;
  }

  #rename(value: unknown, schema: JsonSchema, depth: number): unknown {
    if (value === null || typeof value !== 'object' || depth > MAX_DEPTH) return value;
    const actual = dereference(schema, this.#root);
    if (Array.isArray(value))
      return actual.items === undefined ? value : value.map((item) => this.#rename(item, actual.items!, depth + 1));
    return this.#renameFields(value as Record<string, unknown>, actual, depth);
  }

  #renameFields(value: Record<string, unknown>, schema: JsonSchema, depth: number): Record<string, unknown> {
    const fields = this.#fieldsOf(schema);
    const rest = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
    const renamed = new Map<string, unknown>();
    for (const [key, inner] of Object.entries(value)) {
      const field = fields.get(key);
      const name = field?.name ?? key;
      if (renamed.has(name))
        throw new ServiceError('invalid_argument',
          `${snakeCase(name)} is given twice, as ${snakeCase(name)} and as ${name}`);
      const within = field?.schema ?? rest;
      renamed.set(name, within === undefined ? inner : this.#rename(inner, within, depth + 1));
    }
    // Unlike an assignment, this creates an ordinary field for every name, including `__proto__`.
    return Object.fromEntries(renamed);
  }

  #fieldsOf(schema: JsonSchema): Fields {
    const known = this.#fields.get(schema);
    if (known !== undefined) return known;
    const fields = new Map<string, { name: string; schema: JsonSchema }>();
    for (const part of [schema, ...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) {
      for (const [name, field] of Object.entries(dereference(part, this.#root).properties ?? {})) {
        for (const spelling of [snakeCase(name), name])
          if (!fields.has(spelling)) fields.set(spelling, { name, schema: field });
      }
    }
    this.#fields.set(schema, fields);
    return fields;
  }
}

/** The part of JSON Schema that the arguments of tools need. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: JsonSchema | boolean;
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly [keyword: string]: unknown;
}

const DEFINITION = '#/$defs/';

/** Resolves references to the root's definitions. */
export function dereference(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let current = schema;
  for (let hops = 0; current.$ref?.startsWith(DEFINITION) && hops < 32; hops++) {
    current = root.$defs?.[current.$ref.slice(DEFINITION.length)] ?? {};
  }
  return current;
}
