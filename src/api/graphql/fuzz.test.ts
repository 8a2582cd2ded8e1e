import fc from 'fast-check';
import { getNamedType, getNullableType, type GraphQLField, type GraphQLInputType, type GraphQLNamedType,
  type GraphQLObjectType, isEnumType, isInputObjectType, isLeafType, isListType, isNonNullType,
  isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERRORS } from '../../errors/index.ts';
import { type DocsServer, startDocsServer } from '../../testkit/docs-server.ts';
import type { GraphqlAnswer } from '../../testkit/graphql/graphql-fixture.ts';
import { HttpClient } from '../../testkit/http-client.ts';
import { createGraphqlApplication } from './application.ts';

const { schema } = createGraphqlApplication();

/** Chooses with the values of the property, so that a failing document can be shrunk. */
type Choose = (below: number) => number;

const pick = <T>(choose: Choose, from: readonly T[]): T => from[choose(from.length)]!;

const TEXTS = ['', 'c', 'notes', 'a', 'en', '_sys', 'x|y', '\u{1f600}', 'doc.added', 'in', 'key', 'http://127.0.0.1:1/',
  '{"required":["a"]}', 'x'.repeat(2000)];
const NUMBERS = [0, 1, -1, 3, 1000, 2_147_483_647];
const JUNK = ['null', '1.5', 'true', 'WORD', '[]', '{}', '"text"', '9999999999999999999', '$missing'];

/** A literal in a document, mostly of the right type; recursive input types end at some depth. */
function literal(type: GraphQLInputType, choose: Choose, depth = 0): string {
  if (choose(60) === 0) return pick(choose, JUNK);
  const plain = getNullableType(type);
  if (isListType(plain))
    return `[${
      Array.from({ length: choose(4) }, () => literal(plain.ofType as GraphQLInputType, choose, depth + 1)).join(', ')
    }]`;
  if (isInputObjectType(plain)) {
    const fields = Object.values(plain.getFields()).filter((field) =>
      isNonNullType(field.type) || choose(2 + depth) === 0
    );
    return `{${fields.map((field) => `${field.name}: ${literal(field.type, choose, depth + 1)}`).join(', ')}}`;
  }
  if (isEnumType(plain)) return pick(choose, plain.getValues()).name;
  return scalar(plain, choose);
}

function scalar(type: GraphQLNamedType, choose: Choose): string {
  switch (type.name) {
    case 'Int':
    case 'Time':
    case 'Long':
      return String(pick(choose, NUMBERS));
    case 'Float':
      return String(pick(choose, [0, 0.5, -1, 1e30]));
    case 'Boolean':
      return String(choose(2) === 0);
    case 'FilterValue':
      return pick(choose, ['"red"', '1', '0.5', 'true']);
    case 'JSONObject':
      return pick(choose, ['{}', '{a: "b"}', '{a: {b: [1, null]}}']);
    default:
      return JSON.stringify(pick(choose, TEXTS));
  }
}

interface Writing {
  readonly choose: Choose;
  readonly fragments: string[];
}

function selection(type: GraphQLObjectType, depth: number, writing: Writing): string {
  const { choose, fragments } = writing;
  const fields = Object.values(type.getFields());
  const chosen = Array.from({ length: 1 + choose(4) }, () => pick(choose, fields)).map((each, i) =>
    field(each, i, depth, writing)
  );
  if (choose(4) === 0) chosen.push('__typename');
  if (choose(6) === 0) chosen.push(`... on ${type.name} { __typename }`);
  if (choose(6) === 0)
    chosen.push(
      `...F${
        fragments.push(
          `fragment F${fragments.length} on ${type.name} { __typename${choose(8) === 0 ? ` ...F${choose(3)}` : ''} }`,
        ) - 1
      }`,
    );
  if (choose(50) === 0) chosen.push('nonsense');
  return `{ ${chosen.join(' ')} }`;
}

function field({ name, args, type }: GraphQLField<unknown, unknown>, i: number, depth: number,
  writing: Writing): string
{
  const { choose } = writing;
  const given = args.filter((arg) => isNonNullType(arg.type) || choose(2) === 0).map((arg) =>
    `${arg.name}: ${literal(arg.type, choose)}`
  );
  const alias = choose(20) === 0 ? '' : `f${depth}_${i}: `;
  const directive = choose(8) === 0
    ? pick(choose, [' @skip(if: false)', ' @include(if: $yes)'])
    : choose(60) === 0
    ? pick(choose, [' @include(if: "x")', ' @auth'])
    : '';
  const named = getNamedType(type);
  const below = isLeafType(named) || !isObjectType(named) ? '' : ` ${selection(named, depth + 1, writing)}`;
  return `${alias}${name}${given.length > 0 ? `(${given.join(', ')})` : ''}${directive}${below}`;
}

const documents = fc.infiniteStream(fc.nat(999)).map((numbers) => {
  const choose: Choose = (below) => (numbers.next().value ?? 0) % below;
  const fragments: string[] = [];
  const mutation = choose(3) === 0;
  const root = mutation ? schema.getMutationType()! : schema.getQueryType()!;
  const body = selection(root, 0, { choose, fragments });
  return `${mutation ? 'mutation' : 'query'} Q${body.includes('$yes') ? '($yes: Boolean = true)' : ''} ${body} ${
    fragments.join(' ')
  }`;
});

describe('documents at random from the schema', () => {
  let server: DocsServer;
  let client: HttpClient;
  beforeAll(async () => {
    server = await startDocsServer({ env: { SVC_EMBEDDING_PROVIDER: 'builtin' } });
    client = new HttpClient(server.url);
  });
  afterAll(async () => {
    client.close();
    await server.stop();
  });

  it('are answered with data, or with errors that say what is wrong, and never by a fault of the server', async () => {
    let executed = 0;
    await fc.assert(fc.asyncProperty(documents, async (query) => {
      const answer = await client.post('/graphql', { query, variables: {} });
      expect(answer.status).toBe(200);
      const { data, errors = [] } = answer.json<GraphqlAnswer>();
      if (data !== undefined) executed += 1;
      expect(data !== undefined || errors.length > 0).toBe(true);
      for (const { message, extensions: { code, status } } of errors) {
        expect(message).not.toBe('');
        expect(code, `${query}\n${message}\n${String(server.errors.at(-1)?.err)}`).not.toBe('internal');
        expect(status).toBe(ERRORS[code as keyof typeof ERRORS].http);
      }
    }), { numRuns: 400 });
    expect(server.errors).toEqual([]);
    expect(executed).toBeGreaterThan(50);
  });

  it('that are text at random are no fault of the server either', async () => {
    const words = fc.constantFrom('{', '}', '(', ')', '...', 'query', 'fragment', 'on', 'Query', 'stats', 'mode', '"',
      '"""', '\\u{', '$a', ':', '@skip', '#', '\n', '\u{feff}', '0', '-', '!');
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary' }), fc.array(words, { maxLength: 30 }).map((list) =>
        list.join(' ')
      )), async (query) => {
        const answer = await client.post('/graphql', { query });
        expect(answer.status).toBe(200);
        for (const { extensions } of answer.json<GraphqlAnswer>().errors ?? []) expect(extensions.status).toBe(400);
      }),
      { numRuns: 300 },
    );
  });
});
