import { ThreadClient, workerFile } from '../../../lib/thread-client.ts';
import type { Segment } from '../../../search/inverted/index.ts';
import type { UpcomingDocument } from '../../documents/index.ts';
import type { SegmentsReply, SegmentsRequest } from './protocol.ts';

/** Memory for young objects, in MB: texts are released after each batch, so more would only delay their collection. */
const YOUNG_MB = 12;

/** After a burst of writes, the memory of the thread is given back; another one starts within some 50 ms. */
const IDLE_MS = 5000;

/** The main thread's side of `thread.ts`. */
export class SegmentMaker {
  readonly #thread: ThreadClient<SegmentsRequest, SegmentsReply>;

  /** Tests may pass another thread. */
  constructor(file: URL = workerFile(import.meta.url, 'thread')) {
    this.#thread = new ThreadClient(file, {
      name: 'the thread that makes segments',
      idleMs: IDLE_MS,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    });
  }

  /** As `makeSegments`. Rejects when the thread fails; the index can then tokenize the documents itself. */
  async make(fieldNames: readonly string[],
    documents: readonly UpcomingDocument[]): Promise<readonly (Segment | number)[]>
  {
    const reply = await this.#thread.request({ fieldNames, documents });
    if ('error' in reply) throw new Error(reply.error);
    return reply.segments;
  }
}
