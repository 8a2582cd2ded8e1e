/** The door of the area of access: who may call, and what. */
export { actorOf } from './actor.ts';
export { fenceProjects, type FenceDeps } from './fence-projects.ts';
export { createGuard, readsAreOpen } from './guard.ts';
