/** The door of the badges. */
export { createBadges } from './badges.ts';
