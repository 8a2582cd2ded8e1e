import { createHash } from 'node:crypto';
import { digestInSteps } from '../../../lib/digest.ts';
import type { ObjectStore } from '../../../net/objects.ts';
import type { StoredFile } from '../checkpoint-files.ts';
import type { Folders, Manifest, Segment } from './manifest.ts';

/** Bytes of a segment; the last one of an index is shorter. */
export const SEGMENT_BYTES = 4 * 2 ** 20;

/** Segments of one index that are under way at once: of so many, the bytes are in memory. */
const AT_ONCE = 4;

/** What was transferred since the start of the process. */
export interface TransferCounts {
  bytesUp: number;
  bytesDown: number;
  sent: number;
  reused: number;
}

/** Reports a checkpoint that is not what its manifest says. */
export class DamagedCheckpoint extends Error {}

export interface Sending {
  /** Segments that are in the store already. */
  readonly known: ReadonlySet<string>;
  /** Receives every segment that was stored. */
  readonly sent: Set<string>;
  readonly counts: TransferCounts;
  /** Called before each segment; throws if no further one may be stored. */
  readonly check: () => void;
}

/** Stores those segments of an index that are not there yet. Rejects when the store fails or `check` throws. */
export async function sendSegments(store: ObjectStore, { segments: folder }: Folders, file: StoredFile,
  { known, sent, counts, check }: Sending): Promise<Segment[]>
{
  const starts = Array.from({ length: Math.ceil(file.length / SEGMENT_BYTES) }, (_, i) => i * SEGMENT_BYTES);
  const send = async (at: number): Promise<Segment> => {
    const bytes = await file.read(at, Math.min(SEGMENT_BYTES, file.length - at));
    const hash = await hashOf(bytes);
    check();
    if (known.has(hash) || sent.has(hash)) counts.reused += 1;
    else {
      await store.put(`${folder}${hash}`, bytes);
      counts.sent += 1;
      counts.bytesUp += bytes.length;
      sent.add(hash);
    }
    return { hash, length: bytes.length };
  };
  return Array.fromAsync(inOrder(starts, send));
}

/** The index of a manifest. Rejects with `DamagedCheckpoint`, and when the store fails. */
export async function* receiveSegments(store: ObjectStore, { segments: folder }: Folders, { segments }: Manifest,
  counts: TransferCounts): AsyncGenerator<Uint8Array>
{
  yield* inOrder(segments, async (segment) => {
    // Once more if it is not intact: it may have been damaged on its way.
    const bytes = await intact(store, folder, segment) ?? await intact(store, folder, segment);
    if (bytes === undefined) throw new DamagedCheckpoint(`segment ${segment.hash} is missing or damaged`);
    counts.bytesDown += bytes.length;
    return bytes;
  });
}

async function intact(store: ObjectStore, folder: string, { hash, length }: Segment): Promise<Uint8Array | undefined> {
  const bytes = await store.get(`${folder}${hash}`);
  return bytes?.length === length && await hashOf(bytes) === hash ? bytes : undefined;
}

async function hashOf(bytes: Uint8Array): Promise<string> {
  return (await digestInSteps(createHash('sha256'), bytes)).toString('hex');
}

/** The results of some work for each item, in order; some of it is done ahead. After a failure nothing more begins. */
async function* inOrder<T, R>(items: readonly T[], work: (item: T) => Promise<R>): AsyncGenerator<R> {
  const running: Promise<R>[] = [];
  let next = 0;
  const begin = (): void => {
    const one = work(items[next++]!);
    one.catch(() => undefined); // it is awaited below, unless one before it fails
    running.push(one);
  };
  try {
    while (next < items.length && running.length < AT_ONCE) begin();
    while (running.length > 0) {
      yield await running[0]!;
      void running.shift();
      if (next < items.length) begin();
    }
  } finally {
    await Promise.allSettled(running);
  }
}
