/** The entry point of the bodies area. */
export { type Bodies, createBodies } from './bodies.ts';
export { SteadyStore } from './steady-store.ts';
