import { GraphQLError, GraphQLScalarType, type GraphQLScalarTypeConfig, Kind, parse, valueFromASTUntyped,
  type ValueNode } from 'graphql';
import { createModule, type Module } from 'graphql-modules';
import type { Resolvers } from '../../../../generated/graphql/resolvers.ts';
import { SDL } from '../../../../generated/graphql/sdl.ts';

type Config<T> = Pick<GraphQLScalarTypeConfig<T, T>, 'serialize' | 'parseValue' | 'parseLiteral'>;

/**
 * The scalars of the schema as they are on the wire. An invalid value from a client is rejected with a message of its
 * own; one from a handler is an internal error.
 */
const SCALARS = {
  JSONObject: jsonObject(),
  Time: wholeNumber('Time', 'whole Unix seconds'),
  Long: wholeNumber('Long', 'a whole number'),
};

function jsonObject(): Config<Record<string, unknown>> {
  const parse = (value: unknown): Record<string, unknown> => {
    if (isObject(value)) return value;
    throw new GraphQLError(`JSONObject must be an object, got ${nameOf(value)}`);
  };
  return {
    serialize: (value) => {
      if (isObject(value)) return value;
      throw new TypeError('a response is not an object where the schema has a JSONObject');
    },
    parseValue: parse,
    parseLiteral: (node, variables) => {
      if (node.kind !== Kind.OBJECT)
        throw new GraphQLError(`JSONObject must be an object, got ${literalName(node)}`, { nodes: node });
      return valueFromASTUntyped(node, variables) as Record<string, unknown>;
    },
  };
}

function wholeNumber(name: string, meaning: string): Config<number> {
  const parse = (value: unknown): number => {
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
    throw new GraphQLError(
      `${name} must be ${meaning}, got ${typeof value === 'number' ? String(value) : nameOf(value)}`,
    );
  };
  return {
    serialize: (value) => {
      if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
      throw new TypeError(`a response is not ${meaning} where the schema has a ${name}`);
    },
    parseValue: parse,
    parseLiteral: (node) => {
      if (node.kind !== Kind.INT)
        throw new GraphQLError(`${name} must be ${meaning}, got ${literalName(node)}`, { nodes: node });
      return parse(Number(node.value));
    },
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Names `IntValue` `an int`. */
function literalName({ kind }: ValueNode): string {
  const word = kind.replace(/Value$/, '').toLowerCase();
  return `${/^[aeiou]/.test(word) ? 'an' : 'a'} ${word}`;
}

/** One area's part of the schema, with its resolvers. */
export function defineArea(area: keyof typeof SDL, resolvers: Resolvers): Module {
  return createModule({ id: area, typeDefs: parse(SDL[area]), resolvers });
}

/** What several areas use: the scalars, and the root types that the other areas extend. */
export const common = defineArea('common', {
  JSONObject: scalar('JSONObject'),
  Time: scalar('Time'),
  Long: scalar('Long'),
});

/** A scalar with the description that the schema gives it; it replaces the scalar that was parsed from the schema. */
function scalar(name: keyof typeof SCALARS): GraphQLScalarType {
  const definition = parse(SDL.common).definitions.find((each) =>
    each.kind === Kind.SCALAR_TYPE_DEFINITION && each.name.value === name
  );
  const description = definition && 'description' in definition ? definition.description?.value : undefined;
  return new GraphQLScalarType({ ...(SCALARS[name] as object), name, description });
}
