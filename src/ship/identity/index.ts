export { ShipFailure } from './failure.ts';
export { lockFolder } from './folder-lock.ts';
export { type Identity, IdentityFile } from './identity-file.ts';
export { type JoinToken, readJoinToken } from './join-token.ts';
export { joinFleet } from './join.ts';
export { IdentityKeeper } from './keeper.ts';
export { certificateEndsMs } from './pem.ts';
export { provesRevocation } from './revocation.ts';
