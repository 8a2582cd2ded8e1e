/** The worker thread that compresses the bodies of batches. It replies in the order of the requests. */
import { parentPort } from 'node:worker_threads';
import { crc32 } from 'node:zlib';
import { encodeBodySync } from './codec.ts';
import type { EncoderReply, EncoderRequest } from './encoder.ts';

const port = parentPort!;

port.on('message', (request: EncoderRequest) => {
  const reply = answer(request);
  port.postMessage(reply, 'bytes' in reply ? [reply.bytes.buffer] : []);
});

function answer({ texts, compression }: EncoderRequest): EncoderReply {
  try {
    const crcs = new Uint32Array(texts.length);
    const records = texts.map((text, i) => {
      const utf8 = Buffer.from(text, 'utf8');
      crcs[i] = crc32(utf8);
      return encodeBodySync(utf8, compression);
    });
    const ends = new Uint32Array(records.length);
    let end = 0;
    for (const [i, { length }] of records.entries()) ends[i] = end += length;
    const bytes = new Uint8Array(end);
    for (const [i, record] of records.entries()) bytes.set(record, ends[i]! - record.length);
    return { bytes, ends, crcs };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
