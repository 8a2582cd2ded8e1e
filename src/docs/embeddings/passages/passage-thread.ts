/** The worker thread that makes vectors of stored documents. It replies in the order of the requests. */
import { parentPort, workerData } from 'node:worker_threads';
import { EmbeddingKernel, type ModelMemory } from '../../../kernels/embedding.ts';
import { makePassages, type PassageOrder } from './make-passages.ts';

const port = parentPort!;
const kernel = new EmbeddingKernel(workerData as ModelMemory);

port.on('message', (order: PassageOrder) => {
  const made = makePassages(kernel, order);
  port.postMessage(made, [made.counts.buffer, made.places.buffer, made.vectors.buffer]);
});
