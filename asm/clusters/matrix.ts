// Products of matrices of f32. The right factor is packed in panels of eight columns, row by row:
//
//   panel p    for each row i: columns 8p .. 8p + 7 of row i
//
// and columns are padded with zeros to a multiple of 32. A left factor is stored row by row; the padding of its rows to
// 16 bytes may have any content. Fused multiply-adds are used if the processor has them, so the last bits depend on it.

/** Number of columns including the padding. */
export function packedColumns(columns: u32): u32 {
  return (columns + 31) & ~31;
}

/** Bytes of a packed matrix. */
export function packedBytes(rows: u32, columns: u32): u32 {
  return packedColumns(columns) * rows * 4;
}

/** Packs the transpose of a matrix of `columns` rows with `rows` numbers each: centroids become columns. */
export function packTransposed(from: usize, columns: u32, rows: u32, stride: u32, to: usize): void {
  memory.fill(to, 0, packedBytes(rows, columns));
  for (let column: u32 = 0; column < columns; column++) {
    const source = from + <usize>column * stride;
    const target = to + (<usize>(column >> 3) * rows << 5) + (<usize>(column & 7) << 2);
    for (let i: usize = 0; i < <usize>rows; i++) store<f32>(target + (i << 5), load<f32>(source + (i << 2)));
  }
}

/** Packs a matrix as it is. */
export function packMatrix(from: usize, rows: u32, columns: u32, stride: u32, to: usize): void {
  memory.fill(to, 0, packedBytes(rows, columns));
  for (let row: usize = 0; row < <usize>rows; row++) {
    const source = from + row * stride;
    for (let column: usize = 0; column < <usize>columns; column++) {
      store<f32>(to + ((column >> 3) * rows << 5) + (row << 5) + ((column & 7) << 2),
        load<f32>(source + (column << 2)));
    }
  }
}

/** Transposes a matrix of `rows` by `columns`. */
export function transpose(from: usize, rows: u32, columns: u32, stride: u32, to: usize, toStride: u32): void {
  for (let row: usize = 0; row < <usize>rows; row++) {
    const source = from + row * stride;
    const target = to + (row << 2);
    for (let column: usize = 0; column < <usize>columns; column++) {
      store<f32>(target + column * toStride, load<f32>(source + (column << 2)));
    }
  }
}

/** Rows per pass over the panels: they stay in the second-level cache. */
const BAND: u32 = 64;

/** out = left * packed, with `packedColumns(columns)` numbers in each row of `out`. Strides are in bytes. */
export function multiply(left: usize, rows: u32, stride: u32, packed: usize, inner: u32, columns: u32, out: usize,
  outStride: u32): void
{
  const panels = packedColumns(columns) >> 3;
  const panelBytes = <usize>inner << 5;
  for (let band: u32 = 0; band < rows; band += BAND) {
    const end = min(rows, band + BAND);
    for (let panel: u32 = 0; panel < panels; panel++) {
      for (let row = band; row < end; row += 4) {
        const count = min(end - row, 4);
        fourRows(left + <usize>row * stride, count, stride, packed + <usize>panel * panelBytes, inner,
          out + <usize>row * outStride + (<usize>panel << 5), outStride);
      }
    }
  }
}

/** Four rows times one panel; if there are fewer rows, the last one is used in place of the missing ones. */
function fourRows(left: usize, count: u32, stride: u32, panel: usize, inner: u32, out: usize, outStride: u32): void {
  const b = left + <usize>min(1, count - 1) * stride;
  const c = left + <usize>min(2, count - 1) * stride;
  const d = left + <usize>(count - 1) * stride;
  let a0 = f32x4.splat(0);
  let a1 = a0;
  let b0 = a0;
  let b1 = a0;
  let c0 = a0;
  let c1 = a0;
  let d0 = a0;
  let d1 = a0;
  const end = <usize>inner << 2;
  for (let i: usize = 0; i < end; i += 4) {
    const low = v128.load(panel);
    const high = v128.load(panel, 16);
    panel += 32;
    const xa = v128.load_splat<f32>(left + i);
    const xb = v128.load_splat<f32>(b + i);
    const xc = v128.load_splat<f32>(c + i);
    const xd = v128.load_splat<f32>(d + i);
    a0 = f32x4.relaxed_madd(xa, low, a0);
    a1 = f32x4.relaxed_madd(xa, high, a1);
    b0 = f32x4.relaxed_madd(xb, low, b0);
    b1 = f32x4.relaxed_madd(xb, high, b1);
    c0 = f32x4.relaxed_madd(xc, low, c0);
    c1 = f32x4.relaxed_madd(xc, high, c1);
    d0 = f32x4.relaxed_madd(xd, low, d0);
    d1 = f32x4.relaxed_madd(xd, high, d1);
  }
  storePair(out + <usize>(count - 1) * outStride, d0, d1);
  storePair(out + <usize>min(2, count - 1) * outStride, c0, c1);
  storePair(out + <usize>min(1, count - 1) * outStride, b0, b1);
  storePair(out, a0, a1);
}

function storePair(at: usize, low: v128, high: v128): void {
  v128.store(at, low);
  v128.store(at, high, 16);
}

/** out = vector * packed: `packedColumns(columns)` numbers. */
export function multiplyVector(vector: usize, packed: usize, inner: u32, columns: u32, out: usize): void {
  const panels = packedColumns(columns) >> 3;
  const panelBytes = <usize>inner << 5;
  const end = vector + (<usize>inner << 2);
  for (let panel: u32 = 0; panel < panels; panel += 4) {
    let p = packed + <usize>panel * panelBytes;
    let q = p + panelBytes;
    let r = q + panelBytes;
    let s = r + panelBytes;
    let p0 = f32x4.splat(0);
    let p1 = p0;
    let q0 = p0;
    let q1 = p0;
    let r0 = p0;
    let r1 = p0;
    let s0 = p0;
    let s1 = p0;
    for (let at = vector; at < end; at += 4) {
      const x = v128.load_splat<f32>(at);
      p0 = f32x4.relaxed_madd(x, v128.load(p), p0);
      p1 = f32x4.relaxed_madd(x, v128.load(p, 16), p1);
      q0 = f32x4.relaxed_madd(x, v128.load(q), q0);
      q1 = f32x4.relaxed_madd(x, v128.load(q, 16), q1);
      r0 = f32x4.relaxed_madd(x, v128.load(r), r0);
      r1 = f32x4.relaxed_madd(x, v128.load(r, 16), r1);
      s0 = f32x4.relaxed_madd(x, v128.load(s), s0);
      s1 = f32x4.relaxed_madd(x, v128.load(s, 16), s1);
      p += 32;
      q += 32;
      r += 32;
      s += 32;
    }
    const to = out + (<usize>panel << 5);
    storePair(to, p0, p1);
    storePair(to + 32, q0, q1);
    storePair(to + 64, r0, r1);
    storePair(to + 96, s0, s1);
  }
}
