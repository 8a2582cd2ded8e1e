import type { JsonObject } from '@bufbuild/protobuf';
import type { ServiceError } from '@grpc/grpc-js';
import { buildASTSchema, getNamedType, getNullableType, type GraphQLInputType, isEnumType, isInputObjectType,
  isListType, isNonNullType, isObjectType, parse } from 'graphql';
import { fileURLToPath } from 'node:url';
import type { OperationId } from '../../generated/docs/operations.ts';
import { SDL } from '../../generated/graphql/sdl.ts';
import { tools } from '../../generated/mcp/tools.ts';
import { namesOfDocs } from '../../src/codegen/names/operation-names.ts';
import type { DocsServer } from '../../src/testkit/docs-server.ts';
import { encode, GrpcClient } from '../../src/testkit/grpc-client.ts';
import { HttpClient } from '../../src/testkit/http-client.ts';
import { mcpUrl, RawClient } from '../../src/testkit/mcp-clients.ts';
import type { Credential, Driver, Input } from './driver.ts';
import { grpcDriver } from './grpc-driver.ts';

/** Why a call was refused: code and message; undefined if it was not, whatever else became of it. */
export type Refusal = { readonly code: string; readonly message: string } | undefined;

const REFUSALS = ['unauthenticated', 'forbidden', 'admin_required'];

export function refusalOf({ code, message }: { readonly code: string; readonly message: string }): Refusal {
  return REFUSALS.includes(code) ? { code, message } : undefined;
}

/** A name that a protocol has for an operation. */
export interface NamedCall {
  readonly protocol: 'gRPC' | 'GraphQL' | 'MCP';
  readonly name: string;
  readonly operation: OperationId;
  ask(credential: Credential, input: Input): Promise<Refusal>;
}

export interface NamedCalls {
  readonly calls: readonly NamedCall[];
  close(): Promise<void>;
}

/** The stream of gRPC is no operation by name. */
const WATCH = { name: 'Watch', operation: 'streamEvents' } as const;

/**
 * Every name that gRPC, GraphQL and MCP have for the operations, by the tables from which `docs/names.md` is generated.
 */
export async function namedCalls(server: DocsServer): Promise<NamedCalls> {
  const [http, mcp] = [new HttpClient(server.url), new RawClient(mcpUrl(server))];
  const grpc = new GrpcCalls(server.listeners.grpc!.url);
  const names = await namesOfDocs(fileURLToPath(new URL('../..', import.meta.url)));
  const calls = names.flatMap((each): NamedCall[] => {
    const operation = each.id as OperationId;
    return [...each.grpc.map((name): NamedCall => ({
      protocol: 'gRPC',
      name,
      operation,
      ask: (credential, input) => grpc.ask(name, operation, credential, input),
    })), ...each.graphql.map((name): NamedCall => ({
      protocol: 'GraphQL',
      name,
      operation,
      ask: (credential, input) => askGraphql(http, name, credential, input),
    })), ...each.mcp.map((name): NamedCall => ({
      protocol: 'MCP',
      name,
      operation,
      ask: (credential, input) => askTool(mcp, name, credential, argumentsOf(name, input)),
    }))];
  });
  return {
    calls: [...calls, {
      ...WATCH,
      protocol: 'gRPC',
      ask: (credential, input) => grpc.ask(WATCH.name, WATCH.operation, credential, input),
    }],
    async close() {
      for (const client of [http, mcp]) client.close();
      await grpc.close();
    },
  };
}

/** Messages of the streams, from the input of the operation. */
const STREAMS: Readonly<Record<string, (input: Input) => readonly object[]>> = {
  AddBatchStream: ({ collection }) => [{ collection, document: { key: 'streamed', lang: 'en', contentMd: 'x' } }],
  Upload: (
    { collection, lang = 'en' },
  ) => [{ options: { collection, lang } }, { file: { name: 'a.md' } }, { data: 'eA==' }],
  ImportWiki: ({ collection, lang = 'en' }) => [{ options: { collection, lang } }, { data: 'eA==' }],
};

class GrpcCalls {
  readonly #target: string;
  readonly #streams: GrpcClient;
  /** One connection for each credential. */
  readonly #drivers = new Map<Credential, Driver>();

  constructor(target: string) {
    this.#target = target;
    this.#streams = new GrpcClient(target);
  }

  ask(rpc: string, operation: OperationId, credential: Credential, input: Input): Promise<Refusal> {
    const messages = STREAMS[rpc];
    if (messages !== undefined) return settled(() => this.#send(rpc, credential, messages(input)));
    if (rpc === 'Watch' || rpc === 'Export') return settled(() => this.#open(rpc, credential, input));
    return this.#call(operation, credential, input);
  }

  async #call(operation: OperationId, credential: Credential, input: Input): Promise<Refusal> {
    const driver = this.#drivers.get(credential) ?? grpcDriver(this.#target, credential);
    this.#drivers.set(credential, driver);
    const outcome = await driver.call(operation, input);
    return 'failure' in outcome ? refusalOf(outcome.failure) : undefined;
  }

  async #send(rpc: string, credential: Credential, messages: readonly object[]): Promise<void> {
    const { call, answer } = this.#streams.send(rpc, { metadata: metadataOf(credential) });
    for (const message of messages) call.write(encode(rpc, message as JsonObject));
    call.end();
    await answer;
  }

  /** The initial metadata are for callers that are let in; the stream need not be read. */
  async #open(rpc: string, credential: Credential, { collection, format }: Input): Promise<void> {
    const call = this.#streams.stream(rpc, {
      collection: String(collection),
      ...(rpc === 'Export' && { format: String(format) }),
    }, { metadata: metadataOf(credential) });
    await new Promise<void>((resolve, reject) => call.once('metadata', () => resolve()).on('error', reject));
    call.cancel();
  }

  async close(): Promise<void> {
    this.#streams.close();
    for (const driver of this.#drivers.values()) await driver.close();
  }
}

const metadataOf = (credential: Credential): Record<string, string> =>
  Object.fromEntries(Object.entries(credential).map(([name, value]) => [name.toLowerCase(), value]));

async function settled(work: () => Promise<void>): Promise<Refusal> {
  try {
    await work();
    return undefined;
  } catch (error) {
    const { details, metadata } = error as ServiceError;
    return refusalOf({ code: String(metadata.get('quire-code')[0] ?? ''), message: details });
  }
}

const SCHEMA = buildASTSchema(parse(Object.values(SDL).join('\n')));

/** The names of the directives at a field of GraphQL. */
export function directivesOf(name: string): string[] {
  const field = SCHEMA.getQueryType()!.getFields()[name] ?? SCHEMA.getMutationType()!.getFields()[name]!;
  return (field.astNode?.directives ?? []).map((directive) => directive.name.value);
}

async function askGraphql(client: HttpClient, name: string, credential: Credential, input: Input): Promise<Refusal> {
  const body = JSON.stringify(graphqlRequest(name, input));
  const { errors } =
    (await client.send('POST', '/graphql', { headers: { 'Content-Type': 'application/json', ...credential }, body }))
      .json<{ errors?: { message: string; path?: string[]; extensions: { code: string } }[] }>();
  const [first] = errors ?? [];
  if (first === undefined) return undefined;
  // A request that the schema does not allow would look like one that is let in.
  if (first.path === undefined) throw new Error(`${body}: ${first.message}`);
  return refusalOf({ code: first.extensions.code, message: first.message });
}

/** A request with the arguments that the field has. */
function graphqlRequest(name: string, input: Input): { query: string; variables: Input } {
  const query = SCHEMA.getQueryType()!.getFields()[name];
  const field = query ?? SCHEMA.getMutationType()!.getFields()[name]!;
  const variables = Object.fromEntries(
    field.args.map((
      argument,
    ) => [argument.name, toVariable(argument.type, argument.name === 'input' ? input : input[argument.name])]).filter((
      [, value],
    ) => value !== undefined),
  );
  const given = field.args.filter((argument) => argument.name in variables);
  const declared = given.map((argument) => `$${argument.name}: ${String(argument.type)}`).join(', ');
  const passed = given.map((argument) => `${argument.name}: $${argument.name}`).join(', ');
  const selected = isObjectType(getNamedType(field.type)) ? ' { __typename }' : '';
  return {
    query: `${query === undefined ? 'mutation' : 'query'}${declared && `(${declared})`} { answer: ${name}${
      passed && `(${passed})`
    }${selected} }`,
    variables,
  };
}

/** A value of REST as the type of GraphQL has it; what cannot be said is left out, and what is needed is filled in. */
function toVariable(type: GraphQLInputType, value: unknown): unknown {
  const inner = getNullableType(type);
  if (value === undefined || value === null) return isNonNullType(type) ? fillIn(inner) : undefined;
  if (isListType(inner)) {
    if (Array.isArray(value)) return value.map((each) => toVariable(inner.ofType as GraphQLInputType, each));
    if (getNamedType(inner).name === 'MetaInput')
      return Object.entries(value as Input).map(([key, values]) => ({ key, values: [values].flat() }));
    return [toVariable(inner.ofType as GraphQLInputType, value)];
  }
  if (isInputObjectType(inner)) {
    return Object.fromEntries(
      Object.values(inner.getFields()).map((
        field,
      ) => [field.name, toVariable(field.type, (value as Input)[field.name])]).filter(([, each]) => each !== undefined),
    );
  }
  if (isEnumType(inner))
    return inner.getValues().find((each) => each.name.toLowerCase() === String(value).toLowerCase())?.name;
  return inner.name === 'String' && typeof value === 'object' ? JSON.stringify(value) : value;
}

function fillIn(type: GraphQLInputType): unknown {
  return isListType(type)
    ? []
    : isInputObjectType(type)
    ? {}
    : ({ Boolean: false, Int: 0 } as Record<string, unknown>)[String(type)] ?? 'x';
}

/** Arguments of a tool. Uploads and dumps arrive in other forms there. */
function argumentsOf(name: string, input: Input): Input {
  const { collection, lang = 'en', format: _, ...rest } = input;
  switch (tools.find((tool) => tool.name === name)?.custom) {
    case 'upload':
      return { collection, lang, filename: 'a.md', content: 'eA==' };
    case 'wiki':
      return { collection, lang, url: 'http://127.0.0.1:1/' };
    case 'export':
      return { collection, ...rest };
    default:
      return input;
  }
}

/** Calls a tool of MCP without a session. */
export async function askTool(client: RawClient, name: string, credential: Credential, args: Input): Promise<Refusal> {
  const { status, answer } = await client.stateless('tools/call', { name, arguments: args }, { headers: credential });
  if (status === 401) return { code: 'unauthenticated', message: answer.error!.message };
  if (answer.result === undefined) throw new Error(`${name} was not answered: ${JSON.stringify(answer)}`);
  const { content: [first], isError } = answer.result as { content: { text: string }[]; isError?: boolean };
  if (isError !== true) return undefined;
  const { error, code } = JSON.parse(first!.text) as { error: string; code: string };
  return refusalOf({ code, message: error });
}
