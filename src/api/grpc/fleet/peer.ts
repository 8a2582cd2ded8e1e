import type { AuthContext } from '@grpc/grpc-js/build/src/auth-context.js';
import { FleetRefusal, type FleetService, type Peer } from '../../../runs/fleet/port.ts';

/** What is asked of a call to know who makes it. */
export interface CallOfPeer {
  getAuthContext(): AuthContext;
  getPeer(): string;
}

/** Whose call it is, by the certificate of its connection; asked for each call, since ships are revoked while they are connected. */
export async function peerOf(call: CallOfPeer, service: Pick<FleetService, 'peerOf'>): Promise<Peer> {
  const certificate = call.getAuthContext().sslPeerCertificate;
  if (certificate === undefined) throw new FleetRefusal('unauthenticated', 'the connection has no certificate');
  return service.peerOf(certificate.serialNumber.toUpperCase());
}

/** The address without its port. */
export function addressOf(call: Pick<CallOfPeer, 'getPeer'>): string {
  const peer = call.getPeer();
  return /^(.+):\d+$/.exec(peer)?.[1] ?? peer;
}
