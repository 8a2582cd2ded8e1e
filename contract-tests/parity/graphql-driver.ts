import { buildASTSchema, coerceInputValue, getNamedType, type GraphQLField, type GraphQLOutputType, isObjectType,
  parse } from 'graphql';
import type { OperationId } from '../../generated/docs/operations.ts';
import { SDL } from '../../generated/graphql/sdl.ts';
import { HttpClient } from '../../src/testkit/http-client.ts';
import { type Credential, type Driver, Inexpressible, type Input, type Outcome, reasonOf } from './driver.ts';
import { GRAPHQL, type GraphqlOperation } from './graphql-operations.ts';

const SCHEMA = buildASTSchema(parse(Object.values(SDL).join('\n')));

interface Request extends GraphqlOperation {
  readonly query: string;
  readonly variables: Input;
}

interface Answer {
  readonly data?: { readonly answer: unknown } | null;
  readonly errors?: readonly { readonly message: string;
    readonly extensions: { readonly code: string; readonly status: number; readonly errors?: string[] } }[];
}

/** GraphQL over HTTP: selects every field of each result. */
export function graphqlDriver(url: string, credential: Credential = {}): Driver {
  const client = new HttpClient(url);
  return {
    protocol: 'GraphQL',
    lacks: (operation, input) => reasonOf(() => void requestOf(operation, input)),
    async call(operation, input) {
      const { query, variables } = requestOf(operation, input);
      const { data, errors } = (await client.send('POST', '/graphql', {
        headers: { 'Content-Type': 'application/json', ...credential },
        body: JSON.stringify({ query, variables }),
      })).json<Answer>();
      if (errors === undefined) return { value: data!.answer };
      const [{ message, extensions: { code, status, errors: violations } }] = errors as [
        NonNullable<Answer['errors']>[number],
      ];
      return { failure: { code, message, status, ...(violations && { errors: violations }) } };
    },
    view: (operation, outcome, input) => viewOf(GRAPHQL[operation]!, outcome, input),
    close: () => Promise.resolve(client.close()),
  };
}

/** GraphQL's messages about permissions (contract, section 7). */
const WORDS: Readonly<Record<string, string>> = {
  unauthenticated: 'unauthenticated: missing or invalid credentials',
  admin_required: 'forbidden: admin privileges required',
  forbidden: 'permission denied',
  invalid_credentials: 'authentication failed: invalid credentials',
};

function viewOf({ view = (value: never) => value, absent }: GraphqlOperation, outcome: Outcome, input: Input): Outcome {
  if ('value' in outcome) return { value: view(outcome.value as never, input) };
  const { failure } = outcome;
  if (failure.code === 'not_found' && absent !== undefined) return { value: absent };
  return { failure: { ...failure, message: WORDS[failure.code] ?? failure.message } };
}

function requestOf(operation: OperationId, { includeVectors, ...rest }: Input): Request {
  // A query that selects vectors asks for them.
  const input = includeVectors === undefined || includeVectors === true ? rest : { ...rest, includeVectors };
  const known = GRAPHQL[operation];
  if (known === undefined) throw new Inexpressible(`no field is ${operation}`);
  if (Object.values(input).includes(null)) throw new Inexpressible('null is the same as absent');
  const query = SCHEMA.getQueryType()!.getFields()[known.field];
  const field = query ?? SCHEMA.getMutationType()!.getFields()[known.field]!;
  const variables = known.args?.(input) ?? input;
  checkArguments(field, variables);
  return {
    ...known,
    variables,
    query: textOf(query === undefined ? 'mutation' : 'query', field, Object.keys(variables)),
  };
}

/** Throws `Inexpressible` if the schema has no field for an argument, or requires a missing one. */
function checkArguments(field: GraphQLField<unknown, unknown>, variables: Input): void {
  for (const name of Object.keys(variables))
    if (!field.args.some((argument) => argument.name === name))
      throw new Inexpressible(`${field.name} has no argument ${name}`);
  for (const { name, type } of field.args) {
    coerceInputValue(variables[name], type, (path, _, error) => {
      throw new Inexpressible(`${[name, ...path].join('.')}: ${error.message}`);
    });
  }
}

function textOf(kind: string, field: GraphQLField<unknown, unknown>, names: readonly string[]): string {
  const given = field.args.filter(({ name }) => names.includes(name));
  const declared = given.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ');
  const passed = given.map(({ name }) => `${name}: $${name}`).join(', ');
  return `${kind}${declared && `(${declared})`} { answer: ${field.name}${passed && `(${passed})`}${
    selectionOf(field.type)
  } }`;
}

/** Selects every field of a type, and of nested types. */
function selectionOf(type: GraphQLOutputType): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const fields = Object.values(named.getFields()).map((field) => `${field.name}${selectionOf(field.type)}`);
  return ` { ${fields.join(' ')} }`;
}
