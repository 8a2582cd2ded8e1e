import { readFile } from 'node:fs/promises';
import { operations } from '../../../generated/docs/operations.ts';
import { addDocsServices, createGate, describeRpcs, DOCS_SERVICES, type NodeService, readSchema, type Schema,
  serverCredentials, startGrpcServer, UNLIMITED_RPCS, usualWaits } from '../../api/grpc/index.ts';
import { namingSetting } from '../foreground.ts';
import type { Listener, ProtocolContext } from './context.ts';

/** The image that `npm run generate` makes of the proto files. */
const IMAGE = new URL('../../../generated/proto/docs.binpb', import.meta.url);

/** Cached: reading takes 20 ms, and tests start many servers in one process. */
let imageSchema: Promise<Schema> | undefined;

/** gRPC on its own port; absent if it is switched off. */
export async function serveGrpc(
  { settings, tls, invoke, sharing, admitToEvents, log, service, spools, readAddress, limit, clients: { slowBodies } }:
    ProtocolContext,
): Promise<Listener | undefined> {
  const { enabled, addr, reflection, maxMessageBytes } = settings.grpc;
  if (!enabled) return undefined;
  const schema = await (imageSchema ??= readFile(IMAGE).then(readSchema));
  const accessLog = settings.log.access;
  const listener = await namingSetting('SVC_GRPC_ADDR', () =>
    startGrpcServer({
      address: addr,
      credentials: serverCredentials(addr.kind === 'unix' ? undefined : tls),
      schema,
      reflection,
      maxMessageBytes,
      services: DOCS_SERVICES,
      followReadiness: (listener) => service.readiness.follow(listener),
      observe: (exchange) => service.system.observeGrpc(exchange),
      gate: createGate({
        log,
        accessLog,
        readAddress,
        limit,
        unlimited: UNLIMITED_RPCS,
        waits: usualWaits(settings.limits.bodyTimeout),
        slowBodies,
      }),
      serve: (server) =>
        addDocsServices(server, {
          schema,
          operations,
          log,
          maxMessageBytes,
          accessLog,
          readAddress,
          spools,
          nodes: service.replication?.nodes as NodeService | undefined,
          sharing,
          mutualTls: settings.tls.enabled && settings.tls.clientCa !== '',
          authenticates: service.access.enabled,
          follow: service.access.follow,
          invoke: (operation, input, caller) => invoke(operation, input, caller),
          admitToEvents,
          watch: (input, signal) => service.documents.watch(input, signal),
        }),
    }));
  service.system.describeGrpc(describeRpcs({ schema, operations }));
  return listener;
}
