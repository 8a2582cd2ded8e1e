export { ShipFailure } from './failure.ts';
export { lockFolder } from './folder-lock.ts';
export { IdentityFile, type Identity } from './identity-file.ts';
export { readJoinToken, type JoinToken } from './join-token.ts';
export { joinFleet } from './join.ts';
export { IdentityKeeper } from './keeper.ts';
export { certificateEndsMs } from './pem.ts';
export { provesRevocation } from './revocation.ts';
