/** The entry point of the badges. */
export { createBadges } from './badges.ts';
