import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { Agent, request } from 'node:http';
import { encode } from '../../src/testkit/grpc-client.ts';
import { ENVELOPE, INITIALIZE } from '../../src/testkit/mcp-clients.ts';
import { IDENTITY } from './page.ts';
import type { Targets } from './server.ts';

/** A client with its own connection. Responses are read to the end, but not decoded. */
export interface Caller {
  /** Reads the page once. Rejects if that fails. */
  call(): Promise<unknown>;
  close(): void;
}

type Open = (targets: Targets) => Promise<Caller>;

export const PROTOCOLS: Readonly<Record<string, Open>> = {
  'REST': async ({ http }) => overHttp(`${http}/v1/get`, IDENTITY),
  'gRPC': overGrpc,
  'GraphQL': async ({ http }) => overHttp(`${http}/graphql`, { query: QUERY, variables: IDENTITY }),
  'MCP with a session': async ({ mcp }) =>
    overHttp(mcp, TOOL_CALL, { ...MCP_HEADERS, 'Mcp-Session-Id': await openSession(mcp) }),
  'MCP without a session': async ({ mcp }) =>
    overHttp(mcp, { ...TOOL_CALL, params: { ...TOOL_CALL.params, _meta: ENVELOPE } }, {
      ...MCP_HEADERS,
      'MCP-Protocol-Version': ENVELOPE['io.modelcontextprotocol/protocolVersion'],
      'Mcp-Method': 'tools/call',
      'Mcp-Name': 'get_document',
    }),
};

const QUERY =
  'query ($collection: String!, $key: String!, $lang: String!) { document(collection: $collection, key: $key, ' +
  'lang: $lang) { id key lang meta contentMd addedAt updatedAt expiresAt } }';
const TOOL_CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'get_document', arguments: IDENTITY },
};
const MCP_HEADERS = { Accept: 'application/json, text/event-stream' };

/** Text that only a failed response contains. */
const FAILED = /"errors":|"isError":true|"error":/;

function overHttp(url: string, value: object, headers: Readonly<Record<string, string>> = {}): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const body = JSON.stringify(value);
  const all = { 'Content-Type': 'application/json', 'Content-Length': String(Buffer.byteLength(body)), ...headers };
  return { call: () => exchange(url, agent, all, body), close: () => agent.destroy() };
}

function exchange(url: string, agent: Agent, headers: Readonly<Record<string, string>>, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: 'POST', agent, headers }, (incoming) => {
      const parts: Buffer[] = [];
      incoming.on('data', (part: Buffer) => parts.push(part)).on('error', reject);
      incoming.on('end', () => {
        const text = Buffer.concat(parts).toString();
        if (incoming.statusCode !== 200 || FAILED.test(text))
          reject(new Error(`${url} answered ${incoming.statusCode}: ${text.slice(0, 300)}`));
        else resolve(text);
      });
    });
    outgoing.on('error', reject).end(body);
  });
}

async function overGrpc({ grpc }: Targets): Promise<Caller> {
  // Otherwise channels to one target would share a connection.
  const client = new Client(grpc, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 });
  const bytes = encode('Get', IDENTITY);
  const asIs = (buffer: Buffer): Buffer => buffer;
  const call = () =>
    new Promise((resolve, reject) => {
      client.makeUnaryRequest('/quire.docs.v1.DocumentDB/Get', asIs, asIs, bytes, new Metadata(),
        (error, answer) => (error === null ? resolve(answer) : reject(error)));
    });
  return { call, close: () => client.close() };
}

/** Starts a session and returns its id. */
export async function openSession(mcp: string): Promise<string> {
  const answer = await fetch(mcp, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...MCP_HEADERS },
    body: JSON.stringify(INITIALIZE),
  });
  await answer.text();
  const id = answer.headers.get('mcp-session-id');
  if (id === null) throw new Error(`no session was opened: ${answer.status}`);
  const headers = { 'Content-Type': 'application/json', 'Mcp-Session-Id': id, ...MCP_HEADERS };
  await (await fetch(mcp, {
    method: 'POST',
    headers,
    body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
  })).text();
  return id;
}
