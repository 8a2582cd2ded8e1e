/** The entry point of the bodies area. */
export { createBodies, type Bodies, type BodiesAreas, type Placement } from './bodies.ts';
