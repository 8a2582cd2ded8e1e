import { create } from '@bufbuild/protobuf';
import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { Enrolment, type JoinRequest, JoinRequestSchema, type JoinResponse,
  type ShipInfo } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { definitionOf, openClient } from '../grpc/index.ts';
import { ShipFailure } from './failure.ts';
import type { Identity } from './identity-file.ts';
import type { JoinToken } from './join-token.ts';
import { certificatePem, certificatesPem } from './pem.ts';
import { fetchPinnedRoot } from './pinned-root.ts';
import { makeSigningRequest } from './signing-request.ts';

const DEADLINE_MS = 20_000;

export interface JoinOptions {
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
