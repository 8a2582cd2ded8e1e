/** Places on the globe. */
export { distanceMeters, EARTH_RADIUS_METERS, type Point } from './distance.ts';
export { decodeGeohash } from './geohash.ts';
export { degreesOf, GEO_KEYS, pointOf, type PostcodeLookup } from './point-of.ts';
