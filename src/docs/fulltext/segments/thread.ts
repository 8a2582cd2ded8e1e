/** The worker thread that makes segments of the documents of batches. It replies in the order of the requests. */
import { parentPort } from 'node:worker_threads';
import { SegmentBuilder } from '../../../search/inverted/index.ts';
import { makeSegments } from './make-segments.ts';
import type { SegmentsReply, SegmentsRequest } from './segments.ts';

const port = parentPort!;
let builder: SegmentBuilder | undefined;

port.on('message', (request: SegmentsRequest) => {
  const reply = replyTo(request);
  port.postMessage(reply,
    'segments' in reply
      ? reply.segments.flatMap((segment) => (typeof segment === 'number' ? [] : [segment.bytes.buffer]))
      : []);
});

function replyTo({ fieldNames, documents }: SegmentsRequest): SegmentsReply {
  try {
    return { segments: makeSegments(builder ??= new SegmentBuilder(), fieldNames, documents) };
  } catch (error) {
    builder = undefined;
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
