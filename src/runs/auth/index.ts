/** The entry point of the auth area: who may call, and what they may do. */
export { type FenceDeps, mayAll, projectFences, requireProject, requireReadable } from './fence-projects.ts';
export { type Grant, grantsOf, type Person } from './grants.ts';
export { actorOf, createCredentialReader, createGuard, type PeopleOfIssuer, readsAreOpen, rightsOf } from './guard.ts';
