import { type DescMessage, type DescMethod, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { type handleServerStreamingCall, type handleUnaryCall, type MethodDefinition, Server, ServerCredentials,
  type ServerInterceptor, type ServerOptions, type ServerReadableStream, type ServerWritableStream,
  type UntypedHandleCall } from '@grpc/grpc-js';
import { once } from 'node:events';
import type { SecureContextOptions } from 'node:tls';
import { type DownloadArtifactsRequest, type DownloadArtifactsResponse, type DownloadCacheRequest,
  type DownloadCacheResponse, Enrolment, Fleet, type UploadArtifactRequest, type UploadArtifactResponse,
  type UploadCacheRequest, type UploadCacheResponse } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import type { Address } from '../../../lib/address.ts';
import { type Log, RepeatedFailure } from '../../../lib/log.ts';
import type { ClientBounds } from '../../../lib/slow-bodies.ts';
import type { FleetService, Peer } from '../../../runs/fleet/port.ts';
import { createGate } from '../gate.ts';
import { usualWaits } from '../message-waits.ts';
import { bind, stopOnce } from '../server.ts';
import { addressOf, peerOf, statusOf } from './call.ts';
import { connectHandler } from './connect.ts';
import { LogStreams } from './log-streams.ts';

interface FleetServersOptions {
  /** Mutual TLS. */
  readonly fleet: Address;
  /** TLS with the server's certificate only. */
  readonly enrol: Address;
  readonly tls: FleetTls;
  readonly service: FleetService;
  readonly log: Log;
  /** Bounds what each client may hold at the port at which ships enrol; ships have certificates. */
  readonly clients: ClientBounds;
  /** Longest that a message may take to arrive, in milliseconds. */
  readonly messageMs: number;
}

export interface FleetServers {
  readonly ports: { readonly fleet: number; readonly enrol: number };
  /** New connections use the new certificate; open ones keep theirs. */
  replace(tls: FleetTls): void;
  /** Waits for calls in progress, and aborts those that take longer. Safe to call twice. */
  stop(graceMs: number): Promise<void>;
}

/**
 * A ship that disappeared without closing its connection is detected after at most the sum of these two (decisions,
 * section 6).
 */
const KEEPALIVE: ServerOptions = { 'grpc.keepalive_time_ms': 20_000, 'grpc.keepalive_timeout_ms': 10_000 };

const FLEET: ServerOptions = {
  ...KEEPALIVE,
  'grpc.max_concurrent_streams': 200,
  'grpc.max_receive_message_length': 4 << 20,
  'grpc.max_send_message_length': -1,
};

/** Any client that can reach the port may call. */
const ENROL: ServerOptions = {
  ...KEEPALIVE,
  'grpc.max_concurrent_streams': 10,
  'grpc.max_connection_idle_ms': 60_000,
  'grpc.max_receive_message_length': 64 << 10,
};

/** Starts both servers; rejects with a one-line reason if an address is not available. */
export async function startFleetServers(options: FleetServersOptions): Promise<FleetServers> {
  const { tls, service, log } = options;
  const logStreams = new LogStreams(service, log);
  const { shipGate, enrolGate } = gatesOf(options);
  const fleet = {
    server: fleetServer(shipGate, service, log, logStreams),
    credentials: new ReplaceableCredentials(tls, 'with'),
  };
  const enrol = {
    server: enrolServer(enrolGate, service, log),
    credentials: new ReplaceableCredentials(tls, 'without'),
  };
  const stops = [fleet, enrol].map(({ server }) => stopOnce(server, () => undefined));
  const stop = async (graceMs: number): Promise<void> => {
    logStreams.stop();
    await Promise.all(stops.map((end) => end(graceMs)));
  };
  try {
    const ports = {
      fleet: await bind(fleet.server, options.fleet, fleet.credentials),
      enrol: await bind(enrol.server, options.enrol, enrol.credentials),
    };
    return {
      ports,
      stop,
      replace: (next) => {
        for (const { credentials } of [fleet, enrol]) credentials.replace(next);
      },
    };
  } catch (error) {
    await stop(0);
    throw error;
  }
}

/**
 * Streams of ships without an end of their own may rest for any time; the size of decoded messages is not known, so
 * they have no least rate.
 */
function gatesOf(
  { log, clients: { readAddress, slowBodies }, messageMs }: FleetServersOptions,
): { readonly shipGate: ServerInterceptor; readonly enrolGate: ServerInterceptor } {
  const usual = { log, accessLog: false, readAddress, unlimited: new Set<string>() };
  const waits = { ...usualWaits(messageMs), rates: [] };
  return {
    shipGate: createGate({ ...usual, waits: { ...waits, conversationMs: Infinity } }),
    enrolGate: createGate({ ...usual, waits, slowBodies }),
  };
}

function fleetServer(gate: ServerInterceptor, service: FleetService, log: Log, logStreams: LogStreams): Server {
  const server = new Server({ ...FLEET, interceptors: [gate] });
  const { connect, appendLogs, streamLogs, completeRun, recordSource, uploadArtifact, downloadArtifacts, uploadCache,
    downloadCache, discardCache, renewCertificate, leave } = Fleet.method;
  const asBytes = (bytes: Buffer): Buffer => bytes;
  const unary = <Request, Response>(rpc: string,
    work: (peer: Peer, request: Request) => Promise<Response>): UntypedHandleCall =>
    answering(log, rpc, async (call: Parameters<handleUnaryCall<Request, Response>>[0]) =>
      work(await peerOf(call, service), call.request));
  server.addService({
    connect: { ...definitionOf(connect), responseSerialize: asBytes },
    appendLogs: definitionOf(appendLogs),
    streamLogs: definitionOf(streamLogs),
    completeRun: definitionOf(completeRun),
    recordSource: definitionOf(recordSource),
    uploadArtifact: definitionOf(uploadArtifact),
    downloadArtifacts: definitionOf(downloadArtifacts),
    uploadCache: definitionOf(uploadCache),
    downloadCache: definitionOf(downloadCache),
    discardCache: definitionOf(discardCache),
    renewCertificate: definitionOf(renewCertificate),
    leave: definitionOf(leave),
  }, {
    connect: connectHandler(service, log) as UntypedHandleCall,
    appendLogs: unary('AppendLogs', service.appendLogs),
    streamLogs: logStreams.handle as UntypedHandleCall,
    completeRun: unary('CompleteRun', service.completeRun),
    recordSource: unary('RecordSource', service.recordSource),
    uploadArtifact: answering(log, 'UploadArtifact',
      (async (call: UploadCall) => service.uploadArtifact(await peerOf(call, service), call)) as never),
    downloadArtifacts: streaming(log, 'DownloadArtifacts',
      (async (call: DownloadCall) => service.downloadArtifacts(await peerOf(call, service), call.request)) as never),
    uploadCache: answering(log, 'UploadCache',
      (async (call: ServerReadableStream<UploadCacheRequest, UploadCacheResponse>) =>
        service.uploadCache(await peerOf(call, service), call)) as never),
    downloadCache: streaming<DownloadCacheRequest, DownloadCacheResponse>(log, 'DownloadCache',
      async (call) => service.downloadCache(await peerOf(call, service), call.request)),
    discardCache: unary('DiscardCache', service.discardCache),
    renewCertificate: unary('RenewCertificate', service.renewCertificate),
    leave: unary('Leave', service.leave),
  });
  return server;
}

type DownloadCall = ServerWritableStream<DownloadArtifactsRequest, DownloadArtifactsResponse>;
type UploadCall = ServerReadableStream<UploadArtifactRequest, UploadArtifactResponse>;

function enrolServer(gate: ServerInterceptor, service: FleetService, log: Log): Server {
  const server = new Server({ ...ENROL, interceptors: [gate] });
  const { join } = Enrolment.method;
  server.addService({ join: definitionOf(join) }, {
    join: answering(log, 'Join',
      (call: Parameters<handleUnaryCall<Parameters<FleetService['join']>[1], unknown>>[0]) =>
        service.join(addressOf(call), call.request)),
  });
  return server;
}

function answering<Request, Response>(log: Log, rpc: string,
  work: (call: Parameters<handleUnaryCall<Request, Response>>[0]) => Promise<Response>): UntypedHandleCall
{
  const failure = new RepeatedFailure(log.child({ rpc }), 'a call of a ship failed', 'error');
  const handler: handleUnaryCall<Request, Response> = (call, callback) => {
    work(call).then((answer) => {
      failure.over();
      callback(null, answer);
    }, (error: unknown) => callback(statusOf(error, failure)));
  };
  return handler as UntypedHandleCall;
}

/** Writes the messages at the speed of the network; a ship that is gone ends the work. */
function streaming<Request, Response>(log: Log, rpc: string,
  work: (call: ServerWritableStream<Request, Response>) => Promise<AsyncIterable<Response>>): UntypedHandleCall
{
  const failure = new RepeatedFailure(log.child({ rpc }), 'a call of a ship failed', 'error');
  const handler: handleServerStreamingCall<Request, Response> = (call) => {
    const over = new AbortController();
    call.once('cancelled', () => over.abort());
    const send = async (): Promise<void> => {
      for await (const message of await work(call)) {
        if (over.signal.aborted) return;
        if (!call.write(message)) await once(call, 'drain', { signal: over.signal });
      }
      failure.over();
      call.end();
    };
    send().catch((error: unknown) => {
      if (!over.signal.aborted) call.emit('error', statusOf(error, failure));
    });
  };
  return handler as UntypedHandleCall;
}

/** The definition by which the library calls a method whose messages it encodes and decodes itself. */
export function definitionOf<Input extends DescMessage, Output extends DescMessage>(
  method: DescMethod & { readonly input: Input; readonly output: Output },
): MethodDefinition<MessageShape<Input>, MessageShape<Output>> {
  const { input, output, methodKind, name, parent } = method;
  return {
    path: `/${parent.typeName}/${name}`,
    requestStream: methodKind === 'client_streaming' || methodKind === 'bidi_streaming',
    responseStream: methodKind === 'server_streaming' || methodKind === 'bidi_streaming',
    requestSerialize: (message) => Buffer.from(toBinary(input, message)),
    requestDeserialize: (bytes) => fromBinary(input, bytes),
    responseSerialize: (message) => Buffer.from(toBinary(output, message)),
    responseDeserialize: (bytes) => fromBinary(output, bytes),
  };
}

/** The certificates that a TLS server of the fleet presents and trusts, as PEM. */
interface FleetTls {
  /** The server's certificate, and the root that signed it. */
  readonly certificates: string;
  readonly key: string;
  /** Roots of ships' certificates. */
  readonly roots: string;
}

/**
 * Credentials whose certificate is replaced while the server runs: open connections keep theirs, new ones use the new
 * one. The library offers this for certificates from files or a control plane; both are built on the functions used
 * here.
 */
class ReplaceableCredentials extends ServerCredentials {
  readonly #clients: 'without' | 'with';

  /** `clients`: whether clients must present a certificate. */
  constructor(tls: FleetTls, clients: 'without' | 'with') {
    const asksFor = clients === 'with';
    super({ requestCert: asksFor, rejectUnauthorized: asksFor }, contextOf(tls, clients));
    this.#clients = clients;
  }

  replace(tls: FleetTls): void {
    this.updateSecureContextOptions(contextOf(tls, this.#clients));
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other;
  }
}

function contextOf({ certificates, key, roots }: FleetTls, clients: 'without' | 'with'): SecureContextOptions {
  return { cert: certificates, key, minVersion: 'TLSv1.2', ...(clients === 'with' && { ca: roots }) };
}
