/** The entry point of the access area: who may call, and what they may do. */
export { type FenceDeps, mayAll, projectFences, requireProject, requireReadable } from './fence-projects.ts';
export { actorOf, createGuard, createTokenReader, readsAreOpen } from './guard.ts';
