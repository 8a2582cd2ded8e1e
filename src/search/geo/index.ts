/** Places on the globe: distances, geohashes, boxes and shapes, and the index that finds documents by their places. */
export type { GeoCell, NearDocument, PlacesPart, ReadablePlaces } from './contract.ts';
export { distanceMeters, EARTH_RADIUS_METERS, geodesicMeters, type Point } from './distance.ts';
export { decodeGeohash, encodeGeohash, geohashCell } from './geohash.ts';
export { joinPlaces } from './joined-places.ts';
export { PlaceIndex } from './place-index.ts';
export { degreesOf, GEO_KEYS, pointOf, type PostcodeLookup } from './point-of.ts';
export { answerPlaces, RemotePlaces } from './remote-places.ts';
export { boxAround, boxBetween, type Circle, type PolygonRings, type Position, positionsOf, shapeOf } from './shape.ts';
