import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { GrpcClient } from '../../src/testkit/grpc-client.ts';
import { openSession } from './callers.ts';
import type { Targets } from './server.ts';

/** Many clients that stay connected. */
export interface Crowd {
  /** Total number of events that they have received. */
  received(): number;
  close(): Promise<void>;
}

/** Number of concurrent connection attempts, so that the listener's backlog is not measured. */
const ABREAST = 50;

/** MCP sessions, each with an open stream from server to client. */
export async function crowdOfSessions({ mcp }: Targets, count: number): Promise<Crowd> {
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  const streams: { id: string; stream: ClientRequest }[] = [];
  await inTurns(count, async () => {
    const id = await openSession(mcp);
    streams.push({ id, stream: await listen(mcp, id, agent) });
  });
  return {
    received: () => 0,
    async close() {
      await inTurns(count, async (i) => {
        const { id, stream } = streams[i]!;
        const { status } = await fetch(mcp, { method: 'DELETE', headers: { 'Mcp-Session-Id': id } });
        if (status !== 200 && status !== 204) throw new Error(`a session ended with ${status}`);
        stream.destroy();
      });
      agent.destroy();
    },
  };
}

function listen(mcp: string, id: string, agent: Agent): Promise<ClientRequest> {
  return new Promise((resolve, reject) => {
    const stream = request(mcp, { agent, headers: { Accept: 'text/event-stream', 'Mcp-Session-Id': id } },
      (incoming: IncomingMessage) => {
        incoming.resume().on('error', () => undefined);
        if (incoming.statusCode === 200) resolve(stream);
        else reject(new Error(`a stream was answered ${incoming.statusCode}`));
      });
    stream.on('error', reject).end();
  });
}

/** gRPC watch streams, on a few connections. */
export async function crowdOfWatchers({ grpc }: Targets, count: number): Promise<Crowd> {
  let received = 0;
  const clients = Array.from({ length: 4 },
    () => new GrpcClient(grpc, { channel: { 'grpc.use_local_subchannel_pool': 1 } }));
  const calls = Array.from({ length: count },
    (_, i) => clients[i % clients.length]!.stream('Watch', { collection: 'bench' }));
  await Promise.all(calls.map((call) =>
    new Promise<void>((resolve, reject) => {
      call.on('metadata', () => resolve()).on('data', () => received++).on('error', reject);
    })
  ));
  return {
    received: () => received,
    async close() {
      for (const call of calls) call.on('error', () => undefined).cancel();
      for (const client of clients) client.close();
    },
  };
}

async function inTurns(count: number, work: (i: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(Array.from({ length: ABREAST }, async () => {
    for (let i = next++; i < count; i = next++) await work(i);
  }));
}
