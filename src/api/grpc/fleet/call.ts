import { Metadata, status as codes, type StatusObject } from '@grpc/grpc-js';
import type { AuthContext } from '@grpc/grpc-js/build/src/auth-context.js';
import { ERRORS, ServiceError } from '../../../errors/index.ts';
import type { RepeatedFailure } from '../../../lib/log.ts';
import { FleetRefusal, type FleetService, type Peer } from '../../../runs/fleet/port.ts';

/** The part of a call that identifies its caller. */
interface CallOfPeer {
  getAuthContext(): AuthContext;
  getPeer(): string;
}

/**
 * Returns the caller of a call, by the certificate of its connection. Called for each call, because ships can be
 * revoked while they are connected.
 */
export async function peerOf(call: CallOfPeer, service: Pick<FleetService, 'peerOf'>): Promise<Peer> {
  return service.peerOf(serialOf(call));
}

/** By connection, because reading the certificate takes as long as the rest of a short call, and it does not change. */
const serials = new WeakMap<object, string>();

function serialOf(call: CallOfPeer): string {
  // The library does not always expose the connection; without it the certificate is read each time.
  const { session } = (call as { readonly call?: { readonly stream?: { readonly session?: object } } }).call?.stream ??
    {};
  const known = session && serials.get(session);
  if (known !== undefined) return known;
  const certificate = call.getAuthContext().sslPeerCertificate;
  if (certificate === undefined) throw new FleetRefusal('unauthenticated', 'the connection has no certificate');
  const serial = certificate.serialNumber.toUpperCase();
  if (session !== undefined) serials.set(session, serial);
  return serial;
}

/** The address without its port. */
export function addressOf(call: Pick<CallOfPeer, 'getPeer'>): string {
  const peer = call.getPeer();
  return /^(.+):\d+$/.exec(peer)?.[1] ?? peer;
}

const REFUSALS = {
  invalid_argument: codes.INVALID_ARGUMENT,
  unauthenticated: codes.UNAUTHENTICATED,
  permission_denied: codes.PERMISSION_DENIED,
  not_found: codes.NOT_FOUND,
  failed_precondition: codes.FAILED_PRECONDITION,
  resource_exhausted: codes.RESOURCE_EXHAUSTED,
} as const satisfies Record<FleetRefusal['status'], codes>;

/** The status of a failed call. An unexpected error is logged, once while it repeats, and its details are not sent. */
export function statusOf(thrown: unknown, failure: Pick<RepeatedFailure, 'note'>): StatusObject {
  if (thrown instanceof FleetRefusal)
    return { code: REFUSALS[thrown.status], details: thrown.message, metadata: proving(thrown.revocation) };
  const metadata = new Metadata();
  failure.note(thrown);
  if (thrown instanceof ServiceError)
    return { code: codes[ERRORS[thrown.code].grpc], details: thrown.message, metadata };
  return { code: codes.INTERNAL, details: 'internal error', metadata };
}

/** Metadata with the proof that a ship is revoked, if there is one. */
export function proving(revocation: Uint8Array | undefined): Metadata {
  const metadata = new Metadata();
  if (revocation !== undefined) metadata.set('quire-revocation-bin', Buffer.from(revocation));
  return metadata;
}
