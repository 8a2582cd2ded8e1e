/** The entry point of the access area: who may call, and what they may do. */
export { actorOf } from './actor.ts';
export { type FenceDeps, mayAll, projectFences, requireProject, requireReadable } from './fence-projects.ts';
export { createGuard, readsAreOpen } from './guard.ts';
