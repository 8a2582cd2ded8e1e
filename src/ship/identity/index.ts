export { certificateEndsMs, type Identity, IdentityFile, lockFolder, ShipFailure } from './identity-file.ts';
export { joinFleet, type JoinToken, readJoinToken } from './join.ts';
export { IdentityKeeper, provesRevocation } from './keeper.ts';
