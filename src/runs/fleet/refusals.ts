import { FleetRefusal } from './port.ts';

/**
 * For a ship that this server does not know, perhaps because its store is older: the ship keeps its key and tries
 * again.
 */
export const unknownShip = (): FleetRefusal => new FleetRefusal('not_found', 'the ship is not known to this server');

/** Contains the proof, for which the ship deletes its key. */
export const revokedShip = (revocation: Uint8Array | undefined): FleetRefusal =>
  new FleetRefusal('permission_denied', 'the ship is revoked', revocation);
