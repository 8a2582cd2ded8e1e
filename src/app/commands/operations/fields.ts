import { type Command, Option } from 'commander';

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
type FieldKind = 'string' | 'integer' | 'number' | 'boolean' | 'strings' | 'map' | 'lists' | 'json' | 'loose' | 'file';

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
      choices,
      default: given.default,
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
    return { kind: type, choices };
  return { kind: 'json' };
}

function listOf(schema: InputSchema, root: InputSchema): Pick<Field, 'kind' | 'choices'> {
  const { enum: values } = resolve(schema.items ?? {}, root);
  return { kind: 'strings', choices: values as readonly string[] | undefined };
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

/** Options that every client command already has: a field with the same name gets the prefix `field-`. */
const TAKEN = new Set(['url', 'api-key', 'token', 'profile', 'json', 'ndjson', 'quiet', 'color', 'yes', 'all', 'body',
  'help', 'version', 'output', 'paginate']);

const SHORT: Readonly<Record<string, string>> = { collection: '-c, ', lang: '-l, ' };

/** The first sentence of a description. */
const firstSentence = (text: string): string => /^.*?[.:;](?=\s|$)/s.exec(text)?.[0].replace(/[.:;]$/, '') ?? text;

/** An option whose value is stored under the name of its field. */
class FieldOption extends Option {
  readonly #field: string;

  constructor(flags: string, description: string, field: string) {
    super(flags, description);
    this.#field = field;
  }

  override attributeName(): string {
    return attributeOf(this.#field);
  }
}

/** Chosen so that it does not conflict with other options. */
export const attributeOf = (field: string): string => `field:${field}`;

/** The option of a field, without its dashes. */
export const flagNameOf = ({ flag }: Field): string => (TAKEN.has(flag) ? `field-${flag}` : flag);

/**
 * Adds the option of a field to a command; its texts are collected in a list, because they are parsed when all are
 * known.
 */
export function addFieldOption(command: Command, field: Field): void {
  const flag = flagNameOf(field);
  const description = describe(field);
  if (field.kind === 'boolean') {
    command.addOption(new FieldOption(`--${flag}`, description, field.name));
    const off = new FieldOption(`--no-${flag}`, `not: ${description}`, field.name);
    return void command.addOption(field.default === true ? off : off.hideHelp());
  }
  const option = new FieldOption(`${SHORT[field.name] ?? ''}--${flag} <${PLACEHOLDERS[field.kind]}>`, description,
    field.name);
  command.addOption(
    option.argParser((text: string, before: readonly string[] | undefined) => [...(before ?? []), text]),
  );
}

const PLACEHOLDERS = {
  string: 'text',
  integer: 'n',
  number: 'number',
  strings: 'list',
  map: 'key=value',
  lists: 'key=value',
  json: 'json',
  loose: 'value',
  file: 'file',
} as const;

function describe({ description, choices, default: preset, kind, required }: Field): string {
  const notes = [...(required ? ['needed'] : []), ...(choices === undefined ? [] : [choices.join(', ')]),
    ...(kind === 'map' || kind === 'lists' ? ['may be repeated'] : []),
    ...(preset === undefined || kind === 'boolean' || preset === '' ? [] : [`default: ${JSON.stringify(preset)}`])];
  return `${lowerFirst(firstSentence(description))}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`;
}

/** Lower-cases the first letter as in other commands' descriptions; names such as `SVC_PATH` and `URL` stay. */
const lowerFirst = (
  text: string,
): string => (/^[A-Z][a-z ]/.test(text) ? text[0]!.toLowerCase() + text.slice(1) : text);
