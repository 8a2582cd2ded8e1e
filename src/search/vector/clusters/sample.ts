import { setImmediate } from 'node:timers/promises';
import { clustersKernel } from '../../../kernels/clusters.ts';
import type { Metric, SegmentAccess } from '../ann-index.ts';
import type { Matrix, Trainer } from './trainer.ts';

/** Bytes to copy before the event loop continues. */
const COPIED_BYTES = 4 * 1024 * 1024;

/**
 * Copies an even sample of at most `most` live rows to a trainer, normalised to length 1 for `cosine`. It may contain
 * rows that were removed meanwhile.
 */
export async function sampleRows(segment: SegmentAccess, trainer: Trainer, metric: Metric,
  most: number): Promise<Matrix>
{
  const rows = chooseRows(segment, most);
  const points = trainer.matrix(rows.length, segment.dims);
  const width = segment.stride / 4;
  const kernel = clustersKernel(segment.memory, segment.build);
  const slice = Math.max(1, Math.floor(COPIED_BYTES / segment.stride));
  for (let first = 0; first < rows.length; first += slice) {
    const to = trainer.numbers(points);
    const from = new Float32Array(segment.memory.buffer);
    for (let i = first; i < Math.min(rows.length, first + slice); i++) {
      const at = (kernel.vectorOf(rows[i]!) >>> 0) / 4;
      to.set(from.subarray(at, at + width), i * width);
    }
    await setImmediate();
  }
  if (metric === 'cosine') await trainer.run('normalizeRows', [points.address, points.rows, points.dims]);
  return points;
}

/**
 * Divides the live rows into `wanted` runs and selects one row of each at random, so that a periodic order of rows does
 * not bias the sample.
 */
function chooseRows(segment: SegmentAccess, most: number): number[] {
  const kernel = clustersKernel(segment.memory, segment.build);
  const { rowCount, liveCount } = segment;
  const wanted = Math.min(most, liveCount);
  const chosen: number[] = [];
  let live = 0;
  let next = place(0, wanted, liveCount);
  for (let row = 0; row < rowCount && chosen.length < wanted; row++) {
    if (kernel.isLive(row) === 0) continue;
    if (live === next) {
      chosen.push(row);
      next = place(chosen.length, wanted, liveCount);
    }
    live++;
  }
  return chosen;
}

/** The index of the live row that is chosen as the i-th. */
function place(i: number, wanted: number, liveCount: number): number {
  const start = Math.floor((i * liveCount) / wanted);
  const length = Math.floor(((i + 1) * liveCount) / wanted) - start;
  return start + ((Math.imul(i + 1, 0x9e3779b1) >>> 7) % length);
}
