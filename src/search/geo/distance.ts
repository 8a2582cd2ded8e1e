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

/** The ellipsoid WGS 84: semi-major axis in metres, and flattening. */
const A = 6_378_137;
const F = 1 / 298.257223563;
const B = A * (1 - F);

const MAX_ROUNDS = 100;
const ENOUGH = 1e-12;

/**
 * Bounds of the ratio of great-circle distances on the mean sphere to distances on the ellipsoid: a meridian is curved
 * most at the equator and least at the poles. So the error of the sphere is at most 0.56 %.
 */
export const SPHERE_TO_ELLIPSOID = { least: 0.9955, most: 1.0057 } as const;

/**
 * Metres between two places along the ellipsoid WGS 84 (Vincenty, "Direct and inverse solutions of geodesics on the
 * ellipsoid", Survey Review 23/176, 1975), exact to 0.5 mm. For places that are nearly opposite on the globe the
 * iteration does not converge: then it is the great-circle distance, with an error of at most 0.56 %.
 */
export function geodesicMeters(from: Point, to: Point): number {
  const [u1, u2] = [reduced(from.lat), reduced(to.lat)];
  const along = toRadians(to.lng - from.lng);
  let lambda = along;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const arc = arcOf(u1, u2, lambda);
    if (arc === undefined) return 0;
    const { sigma, sinSigma, cosSigma, sinAlpha, cosSquared, cosMiddle } = arc;
    const c = (F / 16) * cosSquared * (4 + F * (4 - 3 * cosSquared));
    const next = along +
      (1 - c) * F * sinAlpha * (sigma + c * sinSigma * (cosMiddle + c * cosSigma * (-1 + 2 * cosMiddle ** 2)));
    if (Math.abs(next - lambda) < ENOUGH) return lengthOf(arc);
    lambda = next;
    if (Math.abs(lambda) > Math.PI * 3) break;
  }
  return distanceMeters(from, to);
}

interface Latitude {
  readonly sin: number;
  readonly cos: number;
}

interface Arc {
  readonly sigma: number;
  readonly sinSigma: number;
  readonly cosSigma: number;
  readonly sinAlpha: number;
  /** Square of the cosine of the azimuth at the equator. */
  readonly cosSquared: number;
  /** Cosine of twice the angle from the equator to the middle of the line. */
  readonly cosMiddle: number;
}

/** The line on the auxiliary sphere; undefined for one of no length. */
function arcOf(u1: Latitude, u2: Latitude, lambda: number): Arc | undefined {
  const [sin, cos] = [Math.sin(lambda), Math.cos(lambda)];
  const sinSigma = Math.hypot(u2.cos * sin, u1.cos * u2.sin - u1.sin * u2.cos * cos);
  if (sinSigma === 0) return undefined;
  const cosSigma = u1.sin * u2.sin + u1.cos * u2.cos * cos;
  const sinAlpha = (u1.cos * u2.cos * sin) / sinSigma;
  const cosSquared = 1 - sinAlpha ** 2;
  // Undefined along the equator.
  const cosMiddle = cosSquared === 0 ? 0 : cosSigma - (2 * u1.sin * u2.sin) / cosSquared;
  return { sigma: Math.atan2(sinSigma, cosSigma), sinSigma, cosSigma, sinAlpha, cosSquared, cosMiddle };
}

function lengthOf({ sigma, sinSigma, cosSigma, cosSquared, cosMiddle }: Arc): number {
  const u = (cosSquared * (A ** 2 - B ** 2)) / B ** 2;
  const a = 1 + (u / 16_384) * (4096 + u * (-768 + u * (320 - 175 * u)));
  const b = (u / 1024) * (256 + u * (-128 + u * (74 - 47 * u)));
  const correction = b * sinSigma *
    (cosMiddle +
      (b / 4) *
        (cosSigma * (-1 + 2 * cosMiddle ** 2) -
          (b / 6) * cosMiddle * (-3 + 4 * sinSigma ** 2) * (-3 + 4 * cosMiddle ** 2)));
  return B * a * (sigma - correction);
}

function reduced(lat: number): Latitude {
  const u = Math.atan((1 - F) * Math.tan(toRadians(lat)));
  return { sin: Math.sin(u), cos: Math.cos(u) };
}

function toRadians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
