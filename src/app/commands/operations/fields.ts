/** The part of an input's JSON schema from which options are made (`generated/docs/inputs.json`). */
export interface InputSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, InputSchema>>;
  readonly additionalProperties?: boolean | InputSchema;
  readonly items?: InputSchema;
  readonly required?: readonly string[];
  readonly anyOf?: readonly InputSchema[];
  readonly oneOf?: readonly InputSchema[];
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, InputSchema>>;
  readonly 'x-file'?: boolean;
}

/**
 * How the text of an option becomes a value: `strings` is a list; `map` and `lists` are objects given as `key=value`,
 * with one text or a list of texts for each key; `loose` is JSON, or the text itself if it is not JSON; `file` is the
 * name of a file.
 */
export type FieldKind = 'string' | 'integer' | 'number' | 'boolean' | 'strings' | 'map' | 'lists' | 'json' | 'loose'
  | 'file';

/** A field of an operation's input, as the command line accepts it. */
export interface Field {
  /** Name in the input. */
  readonly name: string;
  /** The option without its dashes: `content-md` for `contentMd`. */
  readonly flag: string;
  readonly kind: FieldKind;
  readonly choices?: readonly string[];
  readonly description: string;
  readonly required: boolean;
  readonly default?: unknown;
}

/** The fields of an input, required ones first. */
export function fieldsOf(schema: InputSchema): Field[] {
  const required = new Set(schema.required);
  const fields = Object.entries(schema.properties ?? {}).map(([name, given]) => {
    const target = resolve(given, schema);
    const { kind, choices } = kindOf(target, schema);
    return {
      name,
      kind,
      flag: flagOf(name),
      required: required.has(name),
      description: given.description ?? target.description ?? '',
      ...(choices !== undefined && { choices }),
      ...(given.default !== undefined && { default: given.default }),
    };
  });
  return [...fields.filter((field) => field.required), ...fields.filter((field) => !field.required)];
}

/** `contentMd` as `content-md`, `files[]` as `files`. */
export function flagOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase().replaceAll(
    /^-|-$/g,
    '',
  );
}

function resolve(schema: InputSchema, root: InputSchema): InputSchema {
  const name = schema.$ref?.slice('#/$defs/'.length);
  return name === undefined ? schema : resolve(root.$defs![name]!, root);
}

function kindOf(schema: InputSchema, root: InputSchema): Pick<Field, 'kind' | 'choices'> {
  if (schema['x-file'] === true) return { kind: 'file' };
  const choices = schema.enum?.every((each) => typeof each === 'string') ? schema.enum as readonly string[] : undefined;
  const types = typesOf(schema, root).filter((type) => type !== 'null');
  const [type] = types;
  if (types.length !== 1) return { kind: types.includes('string') ? 'loose' : 'json' };
  if (type === 'array')
    return resolve(schema.items ?? {}, root).type === 'string' ? listOf(schema, root) : { kind: 'json' };
  if (type === 'object') return { kind: mapOf(schema, root) };
  if (type === 'string' || type === 'integer' || type === 'number' || type === 'boolean')
    return { kind: type, ...(choices !== undefined && { choices }) };
  return { kind: 'json' };
}

function listOf(schema: InputSchema, root: InputSchema): Pick<Field, 'kind' | 'choices'> {
  const { enum: values } = resolve(schema.items ?? {}, root);
  return { kind: 'strings', ...(values !== undefined && { choices: values as readonly string[] }) };
}

/**
 * An object with arbitrary keys whose values may be texts, or lists of them, is given as `key=value`; any other object
 * as JSON.
 */
function mapOf(schema: InputSchema, root: InputSchema): FieldKind {
  const { additionalProperties: values } = schema;
  if (typeof values !== 'object' || Object.keys(schema.properties ?? {}).length > 0) return 'json';
  const types = typesOf(resolve(values, root), root);
  return types.includes('array') ? 'lists' : types.includes('string') ? 'map' : 'json';
}

/** The types that a value may have, including those of alternatives. */
function typesOf(given: InputSchema, root: InputSchema): string[] {
  const schema = resolve(given, root);
  if (schema.type !== undefined) return [schema.type].flat() as string[];
  if (schema.enum !== undefined) return [...new Set(schema.enum.map((each) => typeof each))];
  return [...new Set([...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap((each) => typesOf(each, root)))];
}
