import { create } from '@bufbuild/protobuf';
import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { createHash, timingSafeEqual, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { connect, type DetailedPeerCertificate, type TLSSocket } from 'node:tls';
import { Enrolment, type JoinRequest, JoinRequestSchema, type JoinResponse,
  type ShipInfo } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { definitionOf, openClient } from '../grpc/index.ts';
import { certificatePem, certificatesPem, type Identity, makeSigningRequest, ShipFailure } from './identity-file.ts';

/** The parts of a join token that the ship reads; it sends the whole token to the server. */
export interface JoinToken {
  readonly text: string;
  /** SHA-256 of the certificate of the server's authority. */
  readonly fingerprint: Buffer;
}

const FORM = /^qj1\.([A-Za-z0-9_-]{43})\.[A-Za-z0-9_-]{1,128}\.[A-Za-z0-9_-]{16,128}$/;

/**
 * Reads `qj1.<SHA-256 of the authority>.<id>.<secret>` (decisions, section 4, "Joining"); undefined for any other text.
 */
export function readJoinToken(text: string): JoinToken | undefined {
  const fingerprint = FORM.exec(text)?.[1];
  return fingerprint === undefined ? undefined : { text, fingerprint: Buffer.from(fingerprint, 'base64url') };
}

const CONNECT_MS = 15_000;
/** A chain has two or three certificates; a malicious server must not keep the ship busy with more. */
const MAX_CHAIN = 10;

/**
 * The certificate of the server's authority as PEM, recognised by its SHA-256: a server with another one is not the
 * server of the token. Only the TLS handshake is sent.
 */
async function fetchPinnedRoot(host: string, port: number, fingerprint: Buffer): Promise<string> {
  const chain = await fetchChain(host, port);
  const root = chain.find((der) => timingSafeEqual(createHash('sha256').update(der).digest(), fingerprint));
  if (root !== undefined) return new X509Certificate(root).toString();
  throw new ShipFailure(
    `the server at ${host}:${port} is not the one that the token is for: its certificate authority is another. The ` +
      'token was not sent. Check --server; if it is right, somebody may be in between',
  );
}

async function fetchChain(host: string, port: number): Promise<Buffer[]> {
  const socket = connect({
    host,
    port,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['h2'],
    ...(isIP(host) === 0 && { servername: host }),
  });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(CONNECT_MS) });
    return readChain(socket);
  } catch (error) {
    const { name, message } = error as Error;
    throw new ShipFailure(
      `cannot reach ${host}:${port}: ${
        name === 'AbortError' ? 'no answer' : message
      }. Check --server, which is the address for joining (fleet.enrol_listen of the server)`,
      { cause: error },
    );
  } finally {
    socket.on('error', () => undefined);
    socket.destroy();
  }
}

function readChain(socket: TLSSocket): Buffer[] {
  const chain: Buffer[] = [];
  let certificate: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  while (certificate?.raw !== undefined && chain.length < MAX_CHAIN) {
    chain.push(certificate.raw);
    // A root is its own issuer.
    certificate = certificate.issuerCertificate === certificate ? undefined : certificate.issuerCertificate;
  }
  return chain;
}

const DEADLINE_MS = 20_000;

interface JoinOptions {
  readonly host: string;
  readonly port: number;
  readonly token: JoinToken;
  readonly info: ShipInfo;
  /** Milliseconds since 1970. */
  now(): number;
}

/**
 * Joins a fleet: uses the token to check that this is the right server, and only then sends it the token (decisions,
 * section 4, "Joining"). Throws a `ShipFailure`.
 */
export async function joinFleet(options: JoinOptions): Promise<Identity> {
  const { host, port, token, info } = options;
  const root = await fetchPinnedRoot(host, port, token.fingerprint);
  const { key, csrDer } = await makeSigningRequest(info.name);
  const answer = await askToJoin(options, root, create(JoinRequestSchema, { token: token.text, csrDer, info }));
  return {
    version: 1,
    shipId: answer.shipId,
    name: info.name,
    labels: answer.labels,
    fleetAddress: answer.fleetAddress,
    certificate: certificatePem(answer.certificateDer),
    key,
    roots: certificatesPem(answer.trustBundleDer),
    renewAtMs: options.now() + Number(answer.renewAfterMs),
    capacity: info.capacity,
    ephemeral: info.ephemeral,
  };
}

async function askToJoin({ host, port }: JoinOptions, roots: string, request: JoinRequest): Promise<JoinResponse> {
  const { path, requestSerialize, responseDeserialize } = definitionOf(Enrolment.method.join);
  const client = openClient({ host, port }, { roots });
  try {
    return await new Promise<JoinResponse>((resolve, reject) => {
      client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, new Metadata(), {
        deadline: Date.now() + DEADLINE_MS,
      }, (error: ServiceError | null, answer?: JoinResponse) => (error === null ? resolve(answer!) : reject(error)));
    });
  } catch (error) {
    throw new ShipFailure(explain(error as ServiceError, host), { cause: error });
  } finally {
    client.close();
  }
}

const NEW_TOKEN = 'Make a new one with POST /api/v1/ships/tokens';

function explain({ code, details }: ServiceError, host: string): string {
  switch (code) {
    case status.PERMISSION_DENIED:
      return `the server refuses the token: ${details}. ${NEW_TOKEN}`;
    case status.INVALID_ARGUMENT:
      return `the server refuses this ship: ${details}`;
    case status.FAILED_PRECONDITION:
      return `the server does not take this ship: ${details}`;
    case status.RESOURCE_EXHAUSTED:
      return `too many failed attempts from this address; wait a minute (${details})`;
    case status.UNAVAILABLE:
      return /altname|does not match|certificate's/i.test(details)
        ? `the server's certificate is not for ${host}: join by the name in fleet.advertise of the server, or set it ` +
          `to ${host} (${details})`
        : `the server cannot be reached: ${details}`;
    default:
      return `joining failed: ${details}`;
  }
}
