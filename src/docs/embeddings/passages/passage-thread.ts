/** The worker thread that makes vectors of stored documents. It replies in the order of the requests. */
import { parentPort, workerData } from 'node:worker_threads';
import { EmbeddingKernel, type ModelMemory } from '../../../kernels/embedding.ts';
import { makePassages } from './make-passages.ts';
import type { PassageReply, PassageRequest } from './passage-thread-client.ts';

const port = parentPort!;
const kernel = new EmbeddingKernel(workerData as ModelMemory);

port.on('message', ({ id, order }: PassageRequest) => {
  const made = makePassages(kernel, order);
  port.postMessage({ id, made } satisfies PassageReply, [made.counts.buffer, made.places.buffer, made.vectors.buffer]);
});
