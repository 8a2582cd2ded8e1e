import { create } from '@bufbuild/protobuf';
import { type handleBidiStreamingCall, type handleUnaryCall, Server, ServerCredentials } from '@grpc/grpc-js';
import { type AppendLogsRequest, type AppendLogsResponse, AppendLogsResponseSchema, AppendStatus, Fleet,
  type StreamLogsRequest, type StreamLogsResponse,
  StreamLogsResponseSchema } from '../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { definitionOf } from '../../src/api/grpc/fleet/servers.ts';
import { FleetAddresses } from '../../src/app/runs/fleet.ts';
import type { FleetFixture } from '../../src/testkit/runs-fleet.ts';

export interface BareServer {
  /** Where it listens for ships. */
  readonly addresses: FleetAddresses;
  stop(): void;
}

/**
 * The library's server with mutual TLS and the messages of `AppendLogs` and `StreamLogs`, which stores nothing: what a
 * message costs before any work of the service.
 */
export async function startBareServer({ authority, addresses: own, loaded }: FleetFixture): Promise<BareServer> {
  const { certificates, key, roots } = await authority!.serverMaterial(own.hosts());
  const server = new Server();
  const { appendLogs, streamLogs } = Fleet.method;
  server.addService({ appendLogs: definitionOf(appendLogs), streamLogs: definitionOf(streamLogs) }, {
    appendLogs: answerOne,
    streamLogs: answerAtOnce,
  });
  const credentials = ServerCredentials.createSsl(Buffer.from(roots), [{
    cert_chain: Buffer.from(certificates),
    private_key: Buffer.from(key),
  }], true);
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) => (error === null ? resolve(bound) : reject(error)));
  });
  const addresses = new FleetAddresses(loaded.config);
  addresses.listening({ fleet: port, enrol: 0 });
  return { addresses, stop: () => server.forceShutdown() };
}

const answerOne: handleUnaryCall<AppendLogsRequest, AppendLogsResponse> = ({ request: { firstSeq, lines } }, answer) =>
  answer(null,
    create(AppendLogsResponseSchema, { status: AppendStatus.STORED, nextSeq: firstSeq + BigInt(lines.length) }));

const answerAtOnce: handleBidiStreamingCall<StreamLogsRequest, StreamLogsResponse> = (call) => {
  call.on('data', (request: StreamLogsRequest) => {
    for (const { ref, firstSeq, lines } of [request, ...request.more]) {
      call.write(create(StreamLogsResponseSchema, {
        ref: ref!,
        answered: 1,
        status: AppendStatus.STORED,
        nextSeq: firstSeq + BigInt(lines.length),
      }));
    }
  });
  call.on('end', () => call.end());
};
