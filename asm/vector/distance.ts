// Products and distances. Vectors are padded with zeros to multiples of 16 bytes, so there are no tails. Sums
// are kept in four accumulators, so that additions do not wait for each other.

/** Dot product of two vectors of f32; `bytes` is a multiple of 16. */
export function dot(a: usize, b: usize, bytes: usize): f32 {
  let s0 = f32x4.splat(0);
  let s1 = f32x4.splat(0);
  let s2 = f32x4.splat(0);
  let s3 = f32x4.splat(0);
  const end = a + bytes;
  const whole = a + (bytes & ~63);
  while (a < whole) {
    s0 = f32x4.add(s0, f32x4.mul(v128.load(a), v128.load(b)));
    s1 = f32x4.add(s1, f32x4.mul(v128.load(a, 16), v128.load(b, 16)));
    s2 = f32x4.add(s2, f32x4.mul(v128.load(a, 32), v128.load(b, 32)));
    s3 = f32x4.add(s3, f32x4.mul(v128.load(a, 48), v128.load(b, 48)));
    a += 64;
    b += 64;
  }
  while (a < end) {
    s0 = f32x4.add(s0, f32x4.mul(v128.load(a), v128.load(b)));
    a += 16;
    b += 16;
  }
  return sum(f32x4.add(f32x4.add(s0, s1), f32x4.add(s2, s3)));
}

/** Writes the dot products of a vector with two others to `out` and 256 bytes behind it; each is what `dot` returns. */
export function dotTwo(query: usize, a: usize, b: usize, bytes: usize, out: usize): void {
  let s0 = f32x4.splat(0);
  let s1 = s0;
  let s2 = s0;
  let s3 = s0;
  let t0 = s0;
  let t1 = s0;
  let t2 = s0;
  let t3 = s0;
  const end = a + bytes;
  const whole = a + (bytes & ~63);
  while (a < whole) {
    const q0 = v128.load(query);
    s0 = f32x4.add(s0, f32x4.mul(q0, v128.load(a)));
    t0 = f32x4.add(t0, f32x4.mul(q0, v128.load(b)));
    const q1 = v128.load(query, 16);
    s1 = f32x4.add(s1, f32x4.mul(q1, v128.load(a, 16)));
    t1 = f32x4.add(t1, f32x4.mul(q1, v128.load(b, 16)));
    const q2 = v128.load(query, 32);
    s2 = f32x4.add(s2, f32x4.mul(q2, v128.load(a, 32)));
    t2 = f32x4.add(t2, f32x4.mul(q2, v128.load(b, 32)));
    const q3 = v128.load(query, 48);
    s3 = f32x4.add(s3, f32x4.mul(q3, v128.load(a, 48)));
    t3 = f32x4.add(t3, f32x4.mul(q3, v128.load(b, 48)));
    query += 64;
    a += 64;
    b += 64;
  }
  while (a < end) {
    const q = v128.load(query);
    s0 = f32x4.add(s0, f32x4.mul(q, v128.load(a)));
    t0 = f32x4.add(t0, f32x4.mul(q, v128.load(b)));
    query += 16;
    a += 16;
    b += 16;
  }
  store<f32>(out, sum(f32x4.add(f32x4.add(s0, s1), f32x4.add(s2, s3))));
  store<f32>(out, sum(f32x4.add(f32x4.add(t0, t1), f32x4.add(t2, t3))), 256);
}

/** Square of the Euclidean distance of two vectors of f32; `bytes` is a multiple of 16. */
export function l2sq(a: usize, b: usize, bytes: usize): f32 {
  let s0 = f32x4.splat(0);
  let s1 = f32x4.splat(0);
  let s2 = f32x4.splat(0);
  let s3 = f32x4.splat(0);
  const end = a + bytes;
  const whole = a + (bytes & ~63);
  while (a < whole) {
    const d0 = f32x4.sub(v128.load(a), v128.load(b));
    const d1 = f32x4.sub(v128.load(a, 16), v128.load(b, 16));
    const d2 = f32x4.sub(v128.load(a, 32), v128.load(b, 32));
    const d3 = f32x4.sub(v128.load(a, 48), v128.load(b, 48));
    s0 = f32x4.add(s0, f32x4.mul(d0, d0));
    s1 = f32x4.add(s1, f32x4.mul(d1, d1));
    s2 = f32x4.add(s2, f32x4.mul(d2, d2));
    s3 = f32x4.add(s3, f32x4.mul(d3, d3));
    a += 64;
    b += 64;
  }
  while (a < end) {
    const d = f32x4.sub(v128.load(a), v128.load(b));
    s0 = f32x4.add(s0, f32x4.mul(d, d));
    a += 16;
    b += 16;
  }
  return sum(f32x4.add(f32x4.add(s0, s1), f32x4.add(s2, s3)));
}

/** Sum of the four lanes. */
export function sum(v: v128): f32 {
  const pairs = f32x4.add(v, i8x16.shuffle(v, v, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  return f32x4.extract_lane(pairs, 0) + f32x4.extract_lane(pairs, 1);
}

/** The sums of the lanes of four vectors of i32. */
export function sumsOfFour(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = pairs(a, b);
  const cd = pairs(c, d);
  return i32x4.add(v128.shuffle<i32>(ab, cd, 0, 2, 4, 6), v128.shuffle<i32>(ab, cd, 1, 3, 5, 7));
}

/** x0 + x2, x1 + x3, y0 + y2, y1 + y3. */
function pairs(x: v128, y: v128): v128 {
  return i32x4.add(v128.shuffle<i32>(x, y, 0, 1, 4, 5), v128.shuffle<i32>(x, y, 2, 3, 6, 7));
}
