import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { OperationId } from '../../generated/docs/operations.ts';
import { tools, type ToolSpec } from '../../generated/mcp/tools.ts';
import { connectHandshake, RawClient } from '../../src/testkit/mcp-clients.ts';
import { type Credential, type Driver, type Failure, Inexpressible, type Input, type Outcome,
  reasonOf } from './driver.ts';

interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

type Result = Pick<CallToolResult, 'content' | 'structuredContent' | 'isError'>;
type CallTool = (name: string, args: Input) => Promise<Result>;

/** A failed tool call: its result is marked as an error. */
const IS_ERROR = 'isError';

/** MCP with a session, through the SDK's client, which checks each result against the tool's output schema. */
export async function mcpDriver(url: URL, credential: Credential = {}): Promise<Driver> {
  const { client } = await connectHandshake(url, credential);
  const schemas = new Map<string, Schema>();
  for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
    const page = await client.listTools(cursor === undefined ? {} : { cursor });
    for (const { name, inputSchema } of page.tools) schemas.set(name, inputSchema as Schema);
    cursor = page.nextCursor;
  }
  const call: CallTool = async (name, args) => (await client.callTool({ name, arguments: args })) as Result;
  return driverOf('MCP', (name) => schemas.get(name)!, call, () => client.close());
}

/** MCP without a session, with requests made here. Fields are in camelCase, which is also accepted. */
export function statelessMcpDriver(url: URL, credential: Credential = {}): Driver {
  const client = new RawClient(url);
  const call: CallTool = async (name, args) => {
    const { answer } = await client.stateless('tools/call', { name, arguments: args }, { headers: credential });
    if (answer.result === undefined) throw new Error(`${name} was not answered: ${JSON.stringify(answer)}`);
    return answer.result as Result;
  };
  return driverOf('MCP without a session', () => undefined, call, () => Promise.resolve(client.close()));
}

function driverOf(protocol: string, schemaOf: (tool: string) => Schema | undefined, callTool: CallTool,
  close: () => Promise<void>): Driver
{
  return {
    protocol,
    close,
    lacks: (operation) => reasonOf(() => void toolOf(operation)),
    async call(operation, input) {
      const { name } = toolOf(operation);
      const schema = schemaOf(name);
      return outcomeOf(operation,
        await callTool(name, schema === undefined ? input : (inSnakeCase(schema, schema, input) as Input)));
    },
    view: (_, outcome) => ('value' in outcome ? outcome : { failure: { ...outcome.failure, status: IS_ERROR } }),
  };
}

function toolOf(operation: OperationId): ToolSpec {
  const tool = tools.find((each) => each.operation === operation);
  if (tool === undefined) throw new Inexpressible(`no tool is ${operation}`);
  if (tool.custom !== undefined) throw new Inexpressible(`${tool.name} is not the operation as it is`);
  return tool;
}

/** Arguments under the names in the tool's schema. */
function inSnakeCase(root: Schema, schema: Schema, value: unknown): unknown {
  const actual = schema.$ref === undefined ? schema : root.$defs![schema.$ref.replace('#/$defs/', '')]!;
  if (Array.isArray(value))
    return value.map((item) => (actual.items === undefined ? item : inSnakeCase(root, actual.items, item)));
  if (typeof value !== 'object' || value === null) return value;
  const properties = [actual, ...(actual.anyOf ?? []), ...(actual.oneOf ?? [])].flatMap((part) =>
    Object.entries(part.properties ?? {})
  );
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => {
    const snake = name.replace(/[A-Z]+/g, (letters) => `_${letters.toLowerCase()}`);
    const field = properties.find(([declared]) => declared === snake);
    return field === undefined ? [name, inner] : [snake, inSnakeCase(root, field[1], inner)];
  }));
}

function outcomeOf(operation: OperationId, { content, structuredContent, isError }: Result): Outcome {
  const [first] = content;
  const text: unknown = JSON.parse(first?.type === 'text' ? first.text : 'null');
  if (isError === true) return { failure: failureOf(text as ErrorBody) };
  // Models without support for structured content read the same in the text (decision D-116).
  if (JSON.stringify(text) !== JSON.stringify(structuredContent))
    throw new Error(`the text of ${operation} is not its structured content`);
  if (operation !== 'searchDocuments') return { value: structuredContent };
  const { responsePrompt: _, ...answer } = structuredContent!;
  return { value: answer };
}

interface ErrorBody {
  readonly error: string;
  readonly code: string;
  readonly errors?: string[];
}

function failureOf({ error, code, errors }: ErrorBody): Failure {
  return { code, message: error, status: IS_ERROR, ...(errors && { errors }) };
}
