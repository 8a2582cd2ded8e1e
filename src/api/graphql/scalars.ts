import { GraphQLError, type GraphQLScalarTypeConfig, Kind, valueFromASTUntyped, type ValueNode } from 'graphql';

type Config<T> = Pick<GraphQLScalarTypeConfig<T, T>, 'serialize' | 'parseValue' | 'parseLiteral'>;

/**
 * The scalars of the schema as they are on the wire. An invalid value from a client is rejected with a message of its
 * own; one from a handler is an internal error.
 */
export const SCALARS = {
  JSONObject: jsonObject(),
  Time: wholeNumber('Time', 'whole Unix seconds'),
  Long: wholeNumber('Long', 'a whole number'),
  FilterValue: filterValue(),
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

function filterValue(): Config<string | number | boolean> {
  const parse = (value: unknown): string | number | boolean => {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
    throw new GraphQLError(`FilterValue must be a text, a number or a truth value, got ${nameOf(value)}`);
  };
  return {
    serialize: parse,
    parseValue: parse,
    parseLiteral: (node) => {
      if (node.kind === Kind.STRING || node.kind === Kind.BOOLEAN) return node.value;
      if (node.kind === Kind.INT || node.kind === Kind.FLOAT) return Number(node.value);
      throw new GraphQLError(`FilterValue must be a text, a number or a truth value, got ${literalName(node)}`, {
        nodes: node,
      });
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
