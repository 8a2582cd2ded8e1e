import { setImmediate } from 'node:timers/promises';
import type { StoredType } from '../../kernels/vectors.ts';
import { block, u32 } from '../../lib/checked-blocks.ts';
import { type AnnAlgorithm, ByteReader, type Metric, VectorCheckpointError } from './ann-index.ts';
import type { Segment } from './segment.ts';
import type { DocumentRows } from './vector-set.ts';

// A checkpoint contains the rows as they are stored, without the gaps of their memory:
//
//     "QUIREVEC"   u32 format   block: header, JSON
//     for each segment, its live bits as a block, then its blocks of rows (vectors, ordinals, chunk numbers, inverse
//     norms), then its structures: pieces as blocks, and an empty block after the last
//     u32 0
//     block: u32 bytes, u32 CRC-32, bytes          (little endian)

const MAGIC = Buffer.from('QUIREVEC');
const FORMAT = 2;
/** A part of a block of rows. */
const PIECE_BYTES = 1024 * 1024;
/** Rows that are added to the table of documents in one step. */
const ROWS_AT_ONCE = 250_000;

interface StructureHeader {
  readonly algorithm: AnnAlgorithm;
  readonly metric: Metric;
}

interface SegmentHeader {
  readonly dims: number;
  readonly type: StoredType;
  readonly rows: number;
  readonly live: number;
  readonly structures: readonly StructureHeader[];
}

/** The header of a checkpoint. */
interface CheckpointHeader {
  /** Position in the change feed up to which the index is complete. */
  readonly lsn: string;
  readonly segments: readonly SegmentHeader[];
}

/** A segment at one moment; rows below `rows` do not change later, except for their live bits. */
interface Snapshot {
  readonly segment: Segment;
  readonly header: SegmentHeader;
  readonly live: Uint8Array;
}

/**
 * The bytes of a checkpoint, in pieces of about 1 MiB. It shows the moment at which the first piece is requested, or a
 * little later if a structure is in the middle of a step; `lsn` is called at that moment. The index may be used and
 * changed meanwhile.
 */
export async function* writeCheckpoint(segments: () => readonly Segment[],
  lsn: () => string): AsyncGenerator<Uint8Array>
{
  const paused = new Set<Segment>();
  const releases: (() => void)[] = [];
  try {
    for (let missing = segments(); missing.length > 0; missing = segments().filter((segment) => !paused.has(segment))) {
      for (const segment of missing) {
        paused.add(segment);
        releases.push(segment.hold());
      }
      await Promise.all(missing.map((segment) => segment.structures.pause()));
    }
    yield* snapshots(segments().map(snapshotOf), lsn());
  } finally {
    for (const segment of paused) segment.structures.resume();
    for (const release of releases) release();
  }
}

async function* snapshots(all: readonly Snapshot[], lsn: string): AsyncGenerator<Uint8Array> {
  const header: CheckpointHeader = { lsn, segments: all.map((each) => each.header) };
  yield Buffer.concat([MAGIC, u32(FORMAT), block(Buffer.from(JSON.stringify(header)))]);
  for (const { segment, header: { rows }, live } of all) {
    yield block(live);
    for (const { at, bytes } of pieces(segment, rows)) yield block(segment.bytes.subarray(at, at + bytes));
    for (const { index } of segment.structures.ready()) {
      for await (const bytes of index.save()) if (bytes.length > 0) yield block(bytes);
      yield block(new Uint8Array(0));
    }
  }
  yield u32(0);
}

function snapshotOf(segment: Segment): Snapshot {
  const rows = segment.rowCount;
  const live = new Uint8Array(Math.ceil(rows / 64) * 8);
  for (const { row, words } of liveRuns(segment, rows)) live.set(words, row / 8);
  const structures = segment.structures.ready().map(({ algorithm, metric }) => ({ algorithm, metric }));
  return {
    segment,
    live,
    header: { dims: segment.dims, type: segment.type, rows, live: segment.liveCount, structures },
  };
}

/** The live bits of each block of rows. */
function* liveRuns(segment: Segment, rows: number): Generator<{ row: number; words: Uint8Array }> {
  const { shift, live } = segment.rows.layout;
  for (let row = 0; row < rows; row += 1 << shift) {
    const at = (segment.call.blockOf(row) >>> 0) + live;
    yield { row, words: segment.bytes.subarray(at, at + Math.ceil(Math.min(rows - row, 1 << shift) / 64) * 8) };
  }
}

/** The addresses of the first `rows` rows, by blocks; each part of a block ends with the last of these rows. */
function* pieces(segment: Segment, rows: number): Generator<{ at: number; bytes: number }> {
  const { shift, stride, ords, chunks, norms } = segment.rows.layout;
  for (let row = 0; row < rows; row += 1 << shift) {
    const start = segment.call.blockOf(row) >>> 0;
    const count = Math.min(rows - row, 1 << shift);
    for (const [at, bytes] of [[0, stride], [ords, 4], [chunks, 4], [norms, 4]] as const) {
      for (let done = 0; done < count * bytes; done += PIECE_BYTES)
        yield { at: start + at + done, bytes: Math.min(PIECE_BYTES, count * bytes - done) };
    }
  }
}

/**
 * Reads a checkpoint into new segments; `make` returns an empty one. Throws a VectorCheckpointError when it is damaged.
 */
export async function readCheckpoint(source: AsyncIterable<Uint8Array>,
  make: (dims: number, type: StoredType) => Segment, documents: DocumentRows): Promise<string>
{
  const reader = new ByteReader(source);
  if (!MAGIC.equals(await reader.take(MAGIC.length)))
    throw new VectorCheckpointError('not a checkpoint of a vector index');
  const [format] = await reader.numbers(1);
  if (format !== FORMAT) throw new VectorCheckpointError(`a checkpoint of format ${FORMAT} is read, got ${format}`);
  // The checksum has shown that it is what was written.
  const header = JSON.parse((await reader.block()).toString()) as CheckpointHeader;
  for (const each of header.segments) await readSegment(reader, make(each.dims, each.type), each, documents);
  const [end] = await reader.numbers(1);
  if (end !== 0) throw new VectorCheckpointError('the checkpoint does not end where it should');
  return header.lsn;
}

async function readSegment(reader: ByteReader, segment: Segment, header: SegmentHeader,
  documents: DocumentRows): Promise<void>
{
  const { rows } = header;
  if (segment.call.makeRoom(rows) === 0) throw new VectorCheckpointError(`a segment has no room for ${rows} rows`);
  fill(await reader.block(), [...liveRuns(segment, rows)].map(({ words }) => words));
  for (const { at, bytes } of pieces(segment, rows)) await reader.blockInto(segment.bytes.subarray(at, at + bytes));
  segment.rows.adoptRows(rows, header.live);
  await placeDocuments(segment, documents);
  for (const { algorithm, metric } of header.structures) await readStructure(reader, segment, algorithm, metric);
}

/** Copies bytes into the memory. */
function fill(bytes: Uint8Array, places: readonly Uint8Array[]): void {
  const expected = places.reduce((sum, { length }) => sum + length, 0);
  if (bytes.length !== expected)
    throw new VectorCheckpointError(`a block of ${expected} bytes should follow, got ${bytes.length}`);
  let done = 0;
  for (const place of places) {
    place.set(bytes.subarray(done, done + place.length));
    done += place.length;
  }
}

/** A structure that cannot be read is rebuilt when it is requested; its saved bytes are skipped. */
async function readStructure(reader: ByteReader, segment: Segment, algorithm: AnnAlgorithm,
  metric: Metric): Promise<void>
{
  let isOver = false;
  let damage: unknown;
  const next = async (): Promise<Buffer> => {
    try {
      const bytes = await reader.block();
      isOver = bytes.length === 0;
      return bytes;
    } catch (error) {
      damage = error;
      throw error;
    }
  };
  const saved = (async function*() {
    for (let bytes = await next(); !isOver; bytes = await next()) yield bytes;
  })();
  try {
    await segment.structures.restore(algorithm, metric, saved);
  } catch {
    if (damage !== undefined) throw damage;
  }
  while (!isOver) await next();
}

/** Records the place of each document's rows. */
async function placeDocuments(segment: Segment, documents: DocumentRows): Promise<void> {
  const { call, rowCount } = segment;
  let last = -1;
  for (let row = 0; row < rowCount; row++) {
    if (row % ROWS_AT_ONCE === ROWS_AT_ONCE - 1) await setImmediate();
    if (call.isLive(row) === 0) {
      last = -1;
      continue;
    }
    const ord = call.ordOf(row) >>> 0;
    if (ord !== last) documents.set(ord, segment.id, row);
    last = ord;
  }
}
