import { ServiceError } from '../../../errors/index.ts';
import { didYouMean } from '../../../lib/did-you-mean.ts';
import { ConfigError } from '../../../lib/setting-values.ts';
import { createAjv } from '../../../operations/index.ts';
import { parseYaml } from '../../../text/safe-yaml.ts';
import { ArgumentReader, dereference, type JsonSchema, snakeCase } from '../core/arguments.ts';
import type { Arguments, Tool } from '../core/tool.ts';

/** The built-in tools that a custom tool can be based on. */
const ACTIONS = ['semantic_search', 'full_text_search', 'search_documents', 'hybrid_search'] as const;

type Action = (typeof ACTIONS)[number];

const PARAMETER_TYPES = ['string', 'integer', 'number', 'boolean', 'array', 'object'] as const;

/** Fields that callers cannot override if they are among the defaults; arguments override all other defaults. */
const LOCKED: ReadonlySet<string> = new Set(['collection', 'filterMeta', 'filter', 'langs', 'geo', 'includeContent',
  'fields']);

interface CustomParameter {
  /** The form in the file. */
  readonly name: string;
  readonly type: (typeof PARAMETER_TYPES)[number];
  readonly required: boolean;
  readonly description: string;
}

/** One entry of `custom_tools`. */
export interface CustomTool {
  readonly name: string;
  readonly description: string;
  readonly action: Action;
  /** By the field names of the operation's input. */
  readonly defaults: Readonly<Record<string, unknown>>;
  readonly parameters: readonly CustomParameter[];
}

/**
 * A search with its own name and purpose. Undeclared arguments are dropped, locked defaults take
 * precedence, and everything else is passed to the built-in tool on which it is based.
 */
export function customTool(spec: CustomTool, base: Tool, input: JsonSchema): Tool {
  const reader = new ArgumentReader(input);
  const locked = new Set(Object.keys(spec.defaults).filter((field) => LOCKED.has(field)));
  const open = spec.parameters.filter(({ name }) => !locked.has(reader.fieldOf(name)!));
  const declared = new Set(open.map(({ name }) => reader.fieldOf(name)!));
  const { inputSchema } = base.definition;
  return {
    needs: base.needs,
    definition: {
      ...base.definition,
      name: spec.name,
      title: spec.name,
      description: spec.description,
      inputSchema: schemaOf(open, inputSchema, reader),
      annotations: { ...base.definition.annotations, title: spec.name },
    },
    async call(args, context) {
      const given = only(reader.read(args), declared);
      const missing = open.filter(({ name, required }) => required && given[reader.fieldOf(name)!] === undefined).map((
        { name },
      ) => name);
      if (missing.length > 0) throw new ServiceError('missing_fields', `missing fields: ${missing.join(', ')}`);
      return base.call({ ...spec.defaults, ...given }, context);
    },
  };
}

function only(input: Arguments, declared: ReadonlySet<string>): Arguments {
  return Object.fromEntries(Object.entries(input).filter(([field]) => declared.has(field)));
}

/** The declared parameters: type and description of the file, and otherwise the schema of the built-in tool. */
function schemaOf(parameters: readonly CustomParameter[], base: JsonSchema, reader: ArgumentReader): JsonSchema {
  const properties = parameters.map(({ name, type, description }) => {
    const { $ref, ...own } = base.properties?.[snakeCase(reader.fieldOf(name)!)] ?? {};
    return [name, {
      ...($ref === undefined ? own : { allOf: [{ $ref }] }),
      type,
      ...(description === '' ? {} : { description }),
    }];
  });
  const required = parameters.filter((parameter) => parameter.required).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(properties) as Record<string, JsonSchema>,
    ...(required.length > 0 ? { required } : {}),
    ...(base.$defs === undefined ? {} : { $defs: base.$defs }),
  };
}

/** What custom tools can be based on. */
interface Actions {
  /** The input schema of an action's operation. */
  inputOf(action: Action): JsonSchema;
  /** Names that are already used. */
  readonly builtIn: ReadonlySet<string>;
}

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const MAX_TOOLS = 1000;
const MAX_DESCRIPTION = 4096;

/** Problems of one file; each is a line that names the file and the field. */
class Problems {
  readonly lines: string[] = [];
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  add(field: string, problem: string): undefined {
    this.lines.push(`${this.#file}: ${field === '' ? '' : `${field}: `}${problem}`);
    return undefined;
  }
}

/** Reads the file of `SVC_MCP_CONFIG`. Throws `ConfigError` with all its problems. */
export function parseCustomTools(file: string, text: string, actions: Actions): CustomTool[] {
  const problems = new Problems(file);
  const tools = readFile(text, actions, problems);
  if (problems.lines.length > 0) throw new ConfigError(problems.lines);
  return tools;
}

function readFile(text: string, actions: Actions, problems: Problems): CustomTool[] {
  const parsed = parseYaml(text);
  if (!parsed.ok) return problems.add('', parsed.problem) ?? [];
  if (parsed.value === null) return [];
  const root = mapping(parsed.value, '', ['custom_tools'], problems);
  const list = root?.['custom_tools'] ?? [];
  if (!Array.isArray(list) || list.length > MAX_TOOLS)
    return problems.add('custom_tools', `expected a list of at most ${MAX_TOOLS} tools`) ?? [];
  const checks = createDefaultChecks();
  const tools = list.map((entry, i) => readTool(entry, `custom_tools[${i}]`, actions, checks, problems));
  const names = new Map<string, number>();
  tools.forEach((tool, i) => {
    if (tool === undefined) return;
    const other = names.get(tool.name);
    if (actions.builtIn.has(tool.name)) problems.add(`custom_tools[${i}].name`, `${tool.name} is a built-in tool`);
    else if (other !== undefined)
      problems.add(`custom_tools[${i}].name`, `${tool.name} is already the name of custom_tools[${other}]`);
    else names.set(tool.name, i);
  });
  return tools.filter((tool) => tool !== undefined);
}

function readTool(entry: unknown, at: string, actions: Actions, checks: DefaultCheck, problems: Problems): CustomTool
  | undefined
{
  const fields = mapping(entry, at, ['name', 'description', 'action', 'defaults', 'parameters'], problems);
  if (fields === undefined) return undefined;
  const { name, description, action } = fields;
  if (typeof name !== 'string' || !NAME.test(name))
    return problems.add(`${at}.name`, 'expected 1 to 64 letters, digits, "_" and "-"');
  if (typeof description !== 'string' || description.trim() === '' || description.length > MAX_DESCRIPTION) {
    problems.add(`${at}.description`,
      `expected a text of at most ${MAX_DESCRIPTION} characters that tells a model what the tool is for`);
  }
  if (!isOneOf(ACTIONS, action))
    return problems.add(`${at}.action`, `expected one of ${ACTIONS.join(', ')}${got(action)}`);
  const schema = actions.inputOf(action);
  return {
    name,
    action,
    description: String(description),
    defaults: readDefaults(fields['defaults'], `${at}.defaults`, schema, checks, problems),
    parameters: readParameters(fields['parameters'], `${at}.parameters`, schema, problems),
  };
}

function readDefaults(value: unknown, at: string, schema: JsonSchema, checks: DefaultCheck,
  problems: Problems): Record<string, unknown>
{
  const reader = new ArgumentReader(schema);
  const given = value == null ? {} : mapping(value, at, undefined, problems) ?? {};
  const defaults = new Map<string, unknown>();
  for (const key of Object.keys(given)) {
    const field = knownField(key, `${at}.${key}`, reader, schema, problems);
    if (field === undefined) continue;
    if (defaults.has(field)) problems.add(`${at}.${key}`, `${field} is given twice`);
    const [[, inner]] = Object.entries(reader.read({ [key]: given[key] })) as [[string, unknown]];
    const wrong = checks(schema, field, inner);
    if (wrong !== undefined) problems.add(`${at}.${key}`, wrong);
    defaults.set(field, inner);
  }
  return Object.fromEntries(defaults);
}

function readParameters(value: unknown, at: string, schema: JsonSchema, problems: Problems): CustomParameter[] {
  if (value == null) return [];
  if (!Array.isArray(value)) return problems.add(at, 'expected a list') ?? [];
  const reader = new ArgumentReader(schema);
  const seen = new Set<string>();
  return value.flatMap((entry: unknown, i) => {
    const where = `${at}[${i}]`;
    const fields = mapping(entry, where, ['name', 'type', 'required', 'description'], problems);
    const parameter = fields && readParameter(fields, where, reader, schema, problems);
    if (parameter === undefined) return [];
    const field = reader.fieldOf(parameter.name)!;
    if (seen.has(field)) problems.add(`${where}.name`, `${parameter.name} is declared twice`);
    seen.add(field);
    return [parameter];
  });
}

function readParameter(fields: Readonly<Record<string, unknown>>, at: string, reader: ArgumentReader,
  schema: JsonSchema, problems: Problems): CustomParameter | undefined
{
  const { name, type, required = false, description = '' } = fields;
  if (typeof name !== 'string') return problems.add(`${at}.name`, 'expected the name of an argument');
  const field = knownField(name, `${at}.name`, reader, schema, problems);
  if (field === undefined) return undefined;
  if (!isOneOf(PARAMETER_TYPES, type))
    return problems.add(`${at}.type`, `expected one of ${PARAMETER_TYPES.join(', ')}${got(type)}`);
  const taken = typesOf(schema, field);
  if (taken.length > 0 && !taken.includes(type) && !(type === 'integer' && taken.includes('number'))) {
    return problems.add(`${at}.type`, `${name} is ${
      taken.filter((each) => each !== 'null').join(' or ')
    }, got ${type}`);
  }
  if (typeof required !== 'boolean') return problems.add(`${at}.required`, 'expected true or false');
  if (typeof description !== 'string') return problems.add(`${at}.description`, 'expected a text');
  return { name, type, required, description };
}

function knownField(name: string, at: string, reader: ArgumentReader, schema: JsonSchema, problems: Problems): string
  | undefined
{
  const names = Object.keys(schema.properties ?? {});
  return reader.fieldOf(name) ??
    problems.add(at, `the action has no argument ${name}${didYouMean(name, names.map(snakeCase))}`);
}

function typesOf(schema: JsonSchema, field: string): readonly string[] {
  const { type = [] } = dereference(schema.properties?.[field] ?? {}, schema);
  return typeof type === 'string' ? [type] : type;
}

function mapping(value: unknown, at: string, known: readonly string[] | undefined, problems: Problems): Readonly<
  Record<string, unknown>
> | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return problems.add(at, 'expected a mapping');
  for (const key of Object.keys(value)) {
    if (known !== undefined && !known.includes(key))
      problems.add(at === '' ? key : `${at}.${key}`, `unknown field${didYouMean(key, known)}`);
  }
  return value as Record<string, unknown>;
}

const isOneOf = <T extends string>(values: readonly T[], value: unknown): value is T =>
  (values as readonly unknown[]).includes(value);

const got = (value: unknown): string => (value === undefined ? '' : `, got ${JSON.stringify(value)?.slice(0, 80)}`);

/** Returns what is wrong with a value for a field of an input; undefined if it is valid. */
type DefaultCheck = (schema: JsonSchema, field: string, value: unknown) => string | undefined;

/** Checks defaults when they are read, so that a tool that could never work prevents the start. */
function createDefaultChecks(): DefaultCheck {
  const ajv = createAjv({ useDefaults: false });
  return (schema, field, value) => {
    const validate = ajv.compile({
      ...(schema.$defs === undefined ? {} : { $defs: schema.$defs }),
      type: 'object',
      properties: { [field]: schema.properties?.[field] ?? {} },
    });
    if (validate({ [field]: value })) return undefined;
    const [error] = validate.errors ?? [];
    const path = (error?.instancePath ?? '').split('/').slice(2).join('.');
    return `${path === '' ? '' : `${path} `}${error?.message ?? 'is not valid'}`;
  };
}
