/** The entry point of the bodies area. */
export { type Bodies, type BodiesAreas, createBodies, type Placement } from './bodies.ts';
