/** A place in degrees, north and east positive. */
export interface Point {
  readonly lat: number;
  readonly lng: number;
}

/** Mean radius of the Earth (IUGG; decisions section 4.6). */
export const EARTH_RADIUS_METERS = 6_371_008.8;

/**
 * Metres between two places along the great circle, by the haversine formula, which is also accurate for short
 * distances.
 */
export function distanceMeters(from: Point, to: Point): number {
  const [a, b] = [toRadians(from.lat), toRadians(to.lat)];
  const half = haversine(b - a) + Math.cos(a) * Math.cos(b) * haversine(toRadians(to.lng - from.lng));
  // Rounding may exceed 1 for places on opposite sides of the globe.
  return 2 * EARTH_RADIUS_METERS * Math.asin(Math.sqrt(Math.min(1, half)));
}

function haversine(angle: number): number {
  return Math.sin(angle / 2) ** 2;
}

function toRadians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
