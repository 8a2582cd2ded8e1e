export { clearSharedPlaces } from './shared-places.ts';
export { DEFAULT_USER_IDS, UserIds, type HeldUser, type UserIdRange } from './user-ids.ts';
