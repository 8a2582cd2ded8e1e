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
