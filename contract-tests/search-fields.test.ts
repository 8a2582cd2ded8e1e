import { buildASTSchema, getNamedType, type GraphQLNamedType, isInputObjectType, isObjectType, parse } from 'graphql';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type OperationId, operations } from '../generated/docs/operations.ts';
import { SDL } from '../generated/graphql/sdl.ts';
import { tools } from '../generated/mcp/tools.ts';
import { RPCS } from '../src/api/grpc/docs/rpcs.ts';
import { methodOf } from '../src/testkit/grpc-client.ts';
import { GRAPHQL } from './parity/graphql-operations.ts';

/** Every field of these operations exists in each protocol. */
const SEARCHES = ['searchDocuments', 'searchFullText', 'searchVectors', 'findSimilar', 'searchHybrid', 'recallMemory',
  'searchAcrossCollections'] as const satisfies readonly OperationId[];

/** Fields that a protocol lacks, each with the reason. `*` stands for every search. */
const LACKING: Readonly<Record<string, string>> = {
  'GraphQL * request fields': 'the selection of a query names the fields of documents',
  'GraphQL * request includeVectors': 'vectors are read if the query selects them',
  'GraphQL searchDocuments request includeContent': 'bodies are read if the query selects them',
  'GraphQL searchFullText request includeContent': 'bodies are read if the query selects them',
};

interface Json {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Json>>;
  readonly items?: Json;
}

/** Names of fields by the part of an operation that they belong to. */
interface Fields {
  readonly request: readonly string[];
  readonly response: readonly string[];
  /** Fields of one result. */
  readonly result: readonly string[];
}

const read = (file: string): unknown =>
  JSON.parse(readFileSync(new URL(`../generated/${file}`, import.meta.url), 'utf8'));
const inputs = read('docs/inputs.json') as Record<string, Json>;
const openapi = read('docs/openapi.json') as {
  paths: Record<string,
    Record<string, { operationId?: string; responses: Record<string, { content: Record<string, { schema: Json }> }> }>>;
  components: { schemas: Record<string, Json> };
};
const toolSchemas = read('mcp/tools.json') as Record<string,
  { inputSchema: Json; outputSchema: Json & { $defs?: Record<string, Json> } }>;
const schema = buildASTSchema(parse(Object.values(SDL).join('\n')));

function fieldsOf(request: Json, response: Json, resolve: (json: Json) => Json): Fields {
  const answer = resolve(response);
  const list = answer.type === 'array' ? answer : answer.properties?.['results'];
  return {
    request: Object.keys(resolve(request).properties ?? {}),
    response: answer.type === 'array' ? [] : Object.keys(answer.properties ?? {}),
    // The fields of a bare document are compared by the parity tests.
    result: answer.type === 'array' || list === undefined
      ? []
      : Object.keys(resolve(resolve(list).items ?? {}).properties ?? {}),
  };
}

/** Resolves references into the specification, or into the definitions beside a schema. */
const resolver = (definitions: Readonly<Record<string, Json>>) =>
  function resolve(json: Json): Json {
    return json.$ref === undefined ? json : resolve(definitions[json.$ref.split('/').at(-1)!]!);
  };

function specified(operation: OperationId): Fields {
  const all = Object.values(openapi.paths).flatMap((methods) => Object.values(methods));
  const { responses } = all.find(({ operationId }) => operationId === operation)!;
  return fieldsOf(inputs[operation]!, responses['200']!.content['application/json']!.schema,
    resolver(openapi.components.schemas));
}

function ofGraphql(operation: OperationId): Fields {
  const field = schema.getQueryType()!.getFields()[GRAPHQL[operation]!.field]!;
  const answer = getNamedType(field.type);
  const results = isObjectType(answer) ? answer.getFields()['results'] : undefined;
  return {
    request: namesOf(getNamedType(field.args[0]!.type)),
    response: namesOf(answer),
    result: results === undefined ? [] : namesOf(getNamedType(results.type)),
  };
}

function namesOf(type: GraphQLNamedType): string[] {
  return isObjectType(type) || isInputObjectType(type) ? Object.keys(type.getFields()) : [];
}

function ofGrpc(operation: OperationId): Fields {
  const [rpc] = Object.entries(RPCS).find(([, known]) => known.operation === operation)!;
  const { input, output } = methodOf(rpc);
  const results = output.fields.find(({ name }) => name === 'results');
  return {
    request: input.fields.map(({ jsonName }) => jsonName),
    response: output.fields.map(({ jsonName }) => jsonName),
    result: results?.message?.fields.map(({ jsonName }) => jsonName) ?? [],
  };
}

function ofMcp(operation: OperationId): Fields {
  const { name } = tools.find((tool) => tool.operation === operation)!;
  const { inputSchema, outputSchema } = toolSchemas[name]!;
  return fieldsOf(inputSchema, outputSchema, resolver({ ...outputSchema.$defs }));
}

const PROTOCOLS = { GraphQL: ofGraphql, gRPC: ofGrpc, MCP: ofMcp };

/** `<protocol> <operation> <part> <field>` of each field that is missing. */
const missing = SEARCHES.flatMap((operation) =>
  Object.entries(PROTOCOLS).flatMap(([protocol, fields]) => {
    const [all, own] = [specified(operation), fields(operation)];
    return (['request', 'response', 'result'] as const).flatMap((part) =>
      all[part].filter((name) => !own[part].map(plain).includes(plain(name))).map((name) =>
        `${protocol} ${operation} ${part} ${name}`
      )
    );
  })
);

/** A name without the marks by which protocols join its words. */
function plain(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}

const reasonOf = (lack: string): string | undefined =>
  [lack, lack.replace(/^(\S+) \S+/, '$1 *')].find((key) => LACKING[key] !== undefined);

describe('the fields of searches', () => {
  it('are specified', () => {
    for (const operation of SEARCHES) {
      const { request, response, result } = specified(operation);
      expect([operation, operations[operation].effect, request.length > 5]).toEqual([operation, 'read', true]);
      if (operation !== 'searchDocuments')
        expect([operation, response.includes('results'), result.includes('score') || result.includes('combinedScore')])
          .toEqual([operation, true, true]);
    }
  });

  it('exist in GraphQL, gRPC and MCP', () => {
    expect(missing.filter((lack) => reasonOf(lack) === undefined)).toEqual([]);
  });

  it('lack nothing for a reason that no longer holds', () => {
    const used = new Set(missing.map(reasonOf));
    expect(Object.keys(LACKING).filter((key) => !used.has(key))).toEqual([]);
  });
});
