// The two principal components of a set of vectors, by power iteration with deflation (Golub and Van Loan,
// Matrix Computations, section 7.3). The covariance matrix is never formed: an iteration is one pass over the
// rows, y = sum of (x . v) x, so each row is read once and used twice.
//
// The host owns the memory and chooses the addresses, at multiples of 16 bytes:
//
//   rows     `count` rows of `stride` bytes, f32, padded with zeros to a multiple of 16 bytes
//   mean, axes, sums    one row each
//
// Sums are computed in a fixed order and without fused operations, so that the same vectors have the same
// result on every machine.

/** Bytes of a row of `dims` numbers. */
export function rowBytes(dims: u32): u32 {
  return ((dims + 3) & ~3) << 2;
}

/** sum += rows from `first` to `end`. */
export function addRows(rows: usize, stride: u32, first: u32, end: u32, sum: usize): void {
  mustBeAligned(rows, stride, sum);
  for (let row = first; row < end; row++) addScaled(rows + <usize>row * stride, 1, sum, stride);
}

/** Subtracts the mean from the rows from `first` to `end`. */
export function centreRows(rows: usize, stride: u32, first: u32, end: u32, mean: usize): void {
  mustBeAligned(rows, stride, mean);
  for (let row = first; row < end; row++) addScaled(mean, -1, rows + <usize>row * stride, stride);
}

/** sum += (x . axis) x for the rows x from `first` to `end`: a part of the covariance matrix times the axis. */
export function addCovariance(rows: usize, stride: u32, first: u32, end: u32, axis: usize, sum: usize): void {
  mustBeAligned(rows, stride, axis | sum);
  for (let row = first; row < end; row++) {
    const x = rows + <usize>row * stride;
    addScaled(x, <f32>dot(x, axis, stride), sum, stride);
  }
}

/** The inner product, summed in 64 bits. */
export function dot(a: usize, b: usize, bytes: u32): f64 {
  let low = f64x2.splat(0);
  let high = low;
  for (let i: usize = 0; i < <usize>bytes; i += 16) {
    const x = v128.load(a + i);
    const y = v128.load(b + i);
    low = f64x2.add(low, f64x2.mul(f64x2.promote_low_f32x4(x), f64x2.promote_low_f32x4(y)));
    high = f64x2.add(high, f64x2.mul(f64x2.promote_low_f32x4(upper(x)), f64x2.promote_low_f32x4(upper(y))));
  }
  const sum = f64x2.add(low, high);
  return f64x2.extract_lane(sum, 0) + f64x2.extract_lane(sum, 1);
}

/** to += factor * from */
export function addScaled(from: usize, factor: f32, to: usize, bytes: u32): void {
  const factors = f32x4.splat(factor);
  for (let i: usize = 0; i < <usize>bytes; i += 16) {
    v128.store(to + i, f32x4.add(v128.load(to + i), f32x4.mul(v128.load(from + i), factors)));
  }
}

/** a *= factor */
export function scale(a: usize, factor: f32, bytes: u32): void {
  const factors = f32x4.splat(factor);
  for (let i: usize = 0; i < <usize>bytes; i += 16) v128.store(a + i, f32x4.mul(v128.load(a + i), factors));
}

/** The largest number of a row by absolute value, the first of several. */
export function largest(a: usize, bytes: u32): f32 {
  let found: f32 = 0;
  for (let i: usize = 0; i < <usize>bytes; i += 4) {
    const x = load<f32>(a + i);
    if (abs(x) > abs(found)) found = x;
  }
  return found;
}

function upper(x: v128): v128 {
  return v128.shuffle<i64>(x, x, 1, 1);
}

function mustBeAligned(rows: usize, stride: u32, other: usize): void {
  assert(((rows | stride | other) & 15) === 0, 'a row that is not aligned');
}
