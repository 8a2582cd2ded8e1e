/** The worker thread of `convert-dump.ts`: one dump, unpacked, read and converted. */
import { parentPort, workerData } from 'node:worker_threads';
import { type DumpOptions, readDump, WikiDumpError } from '../../../convert/wiki/index.ts';
import { freeBytes } from '../../../lib/bytes.ts';
import { type FromThread, packBatch, type ToThread, USUAL_BYTES } from './packed-batch.ts';
import { unpack } from './unpack.ts';

const port = parentPort!;
const post = (message: FromThread): void => port.postMessage(message);

/** Pieces that have arrived and are not read yet; undefined marks the end. */
const input: (Uint8Array<ArrayBuffer> | undefined)[] = [];
let wake: (() => void) | undefined;
/** Number of batches that were passed on and are not written yet. */
let unwritten = 0;
/** Bytes of batches that are written, for the next ones; more than the usual size were needed by a large page. */
const free: Uint8Array<ArrayBuffer>[] = [];

port.on('message', (message: ToThread) => {
  if (message.kind === 'written') {
    unwritten--;
    if (message.bytes.length > USUAL_BYTES) freeBytes(message.bytes);
    else free.push(message.bytes);
  } else input.push(message.kind === 'bytes' ? message.bytes : undefined);
  wake?.();
});

async function* arriving(): AsyncGenerator<Uint8Array> {
  for (;;) {
    while (input.length === 0) await woken();
    const bytes = input.shift();
    if (bytes === undefined) return;
    yield bytes;
    // When the reader requests more, it has read this piece.
    const { buffer } = bytes;
    port.postMessage({ kind: 'read', buffer } satisfies FromThread, [buffer]);
  }
}

function woken(): Promise<void> {
  return new Promise((resolve) => {
    wake = () => {
      wake = undefined;
      resolve();
    };
  });
}

/** One batch is converted while another is written; there are never more. */
const MOST_UNWRITTEN = 2;

try {
  for await (const batch of readDump(unpack(arriving()), workerData as DumpOptions)) {
    unwritten++;
    const packed = packBatch(batch, free.pop());
    port.postMessage({ kind: 'batch', batch: packed } satisfies FromThread, [packed.bytes.buffer]);
    while (unwritten >= MOST_UNWRITTEN) await woken();
  }
  post({ kind: 'done' });
} catch (error) {
  if (!(error instanceof WikiDumpError)) throw error;
  post({ kind: 'failed', message: error.message, isTooLarge: error.isTooLarge });
}
port.close();
