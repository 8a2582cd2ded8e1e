import { ServiceError } from '../../../errors/index.ts';
import { ArgumentReader, snakeCase } from '../core/arguments.ts';
import type { JsonSchema } from '../core/json-schema.ts';
import type { Arguments, Tool } from '../core/tool.ts';
import { type CustomParameter, type CustomTool, LOCKED } from './spec.ts';

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
