export { clearSharedPlaces } from './shared-places.ts';
export { DEFAULT_USER_IDS, type HeldUser, type UserIdRange, UserIds } from './user-ids.ts';
