// Upper bounds of the scores of rows that are stored as codes of 8 or 4 bits. The query has two planes of seven bits
// (stored.ts). Scanning by the upper plane alone halves the work; the few rows whose bound reaches the heap's bar
// are scored by both, so the result is that of a scan by both planes.
//
// Let e be the part of the query that the upper plane leaves out, a vector whose components are zero on average. A row
// is c + y: its middle c = minimum + step * MIDDLE in all dimensions, and y. The score lacks e . y, which is at most
// |e| |y|. y is not stored: its length is computed from that of the row, |y|^2 = |x|^2 - c (c dims + 2 step sum), where
// the sum is the sum of the codes minus MIDDLE.

import { H_DIMS, H_STRIDE, H_TYPE } from './memory.ts';
import { codeBytes, COSINE, EUCLIDEAN, TYPE_INT8 } from './rows.ts';
import { coarseInt4, coarseInt8, middleOf, P_CONSTANT, P_PLANES, P_PRODUCT, P_REST, P_SUM,
  planesOf } from './stored.ts';

/** Rounding errors of 32-bit floats: of sums of terms, and of a square that is computed as a difference. */
const LOST: f32 = 2e-6;
const LOST_OF_SQUARE: f32 = 1e-5;

/** Writes upper bounds of the scores of 64 consecutive rows from `rows` on. */
export function boundRows(query: usize, metric: u32, rows: usize, out: usize): void {
  const stride = <usize>load<u32>(H_STRIDE);
  const type = load<u32>(H_TYPE);
  const bytes = <usize>codeBytes(load<u32>(H_DIMS), type);
  const prepared = planesOf(query);
  const planes = prepared + P_PLANES;
  for (let i: usize = 0; i < 256; i += 4) {
    store<f32>(out + i, <f32>(type === TYPE_INT8
      ? coarseInt8(planes, rows + (i >> 2) * stride, bytes)
      : coarseInt4(planes, rows + (i >> 2) * stride, bytes)));
    if ((i & 12) === 12)
      boundFour(prepared, metric, rows + ((i - 12) >> 2) * stride + bytes, stride, out + i - 12);
  }
}

/** Makes bounds from four integer products; `tails` is where the codes of the first row end. */
function boundFour(prepared: usize, metric: u32, tails: usize, stride: usize, out: usize): void {
  const a = v128.load(tails);
  const b = v128.load(tails + stride);
  const c = v128.load(tails + 2 * stride);
  const d = v128.load(tails + 3 * stride);
  const ab = v128.shuffle<f32>(a, b, 0, 4, 1, 5);
  const cd = v128.shuffle<f32>(c, d, 0, 4, 1, 5);
  const abLast = v128.shuffle<f32>(a, b, 2, 6, 3, 7);
  const cdLast = v128.shuffle<f32>(c, d, 2, 6, 3, 7);
  const minimum = v128.shuffle<f32>(ab, cd, 0, 1, 4, 5);
  const step = v128.shuffle<f32>(ab, cd, 2, 3, 6, 7);
  const sum = f32x4.convert_i32x4_s(v128.shuffle<f32>(abLast, cdLast, 0, 1, 4, 5));
  const norm = v128.shuffle<f32>(abLast, cdLast, 2, 3, 6, 7);
  const whole = f32x4.mul(minimum, v128.load_splat<f32>(prepared));
  const coarse = f32x4.mul(v128.load_splat<f32>(prepared, P_PRODUCT), v128.load(out));
  const ofSum = f32x4.mul(v128.load_splat<f32>(prepared, P_SUM), sum);
  const constant = v128.load_splat<f32>(prepared, P_CONSTANT);
  const product = f32x4.add(whole, f32x4.mul(step, f32x4.add(f32x4.add(coarse, ofSum), constant)));
  const sizes = f32x4.add(f32x4.abs(whole),
    f32x4.mul(step, f32x4.add(f32x4.add(f32x4.abs(coarse), f32x4.abs(ofSum)), f32x4.abs(constant))));
  const most = f32x4.add(product, f32x4.mul(sizes, f32x4.splat(LOST)));
  const rest = f32x4.mul(v128.load_splat<f32>(prepared, P_REST), shareOfRest(minimum, step, sum, norm));
  v128.store(out, applied(prepared, metric, most, rest, norm));
}

/** An upper bound of |y| / |x|. */
function shareOfRest(minimum: v128, step: v128, sum: v128, norm: v128): v128 {
  const middle = f32x4.add(minimum, f32x4.mul(step, f32x4.splat(<f32>middleOf())));
  const inMiddle = f32x4.mul(middle, f32x4.splat(<f32>load<u32>(H_DIMS)));
  const beside = f32x4.mul(f32x4.add(step, step), sum);
  const share = f32x4.mul(f32x4.mul(norm, norm), f32x4.mul(middle, f32x4.add(inMiddle, beside)));
  const lost = f32x4.mul(f32x4.splat(LOST_OF_SQUARE), f32x4.add(f32x4.splat(1), f32x4.abs(share)));
  return f32x4.sqrt(f32x4.max(f32x4.splat(0), f32x4.add(f32x4.sub(f32x4.splat(1), share), lost)));
}

/** For a row that is zero this may be NaN, which is no bound; such a row is scored. */
function applied(prepared: usize, metric: u32, product: v128, rest: v128, norm: v128): v128 {
  if (metric === COSINE) return f32x4.add(f32x4.mul(product, norm), rest);
  const length = f32x4.div(f32x4.splat(1), norm);
  const bound = f32x4.add(product, f32x4.mul(rest, length));
  if (metric !== EUCLIDEAN) return bound;
  const squares = f32x4.add(f32x4.mul(length, length), v128.load_splat<f32>(prepared, 4));
  return f32x4.sub(f32x4.add(bound, bound), f32x4.mul(squares, f32x4.splat(1 - LOST)));
}
