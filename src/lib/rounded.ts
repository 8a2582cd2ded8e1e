/**
 * A score as it is returned: scores have single precision, so further digits would have no meaning. Sums of rounded
 * scores have one digit more.
 */
export function roundScore(score: number, digits = 8): number {
  return Number(score.toPrecision(digits));
}

/** Metres with centimetres. */
export function roundMeters(meters: number): number {
  return Math.round(meters * 100) / 100;
}
