import type { AuthContext } from '@grpc/grpc-js/build/src/auth-context.js';
import { FleetRefusal, type FleetService, type Peer } from '../../../runs/fleet/port.ts';

/** The part of a call that identifies its caller. */
export interface CallOfPeer {
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
