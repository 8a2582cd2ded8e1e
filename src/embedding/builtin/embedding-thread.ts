/** The worker thread that embeds texts of documents with `static-en-256`. It replies in the order of the requests. */
import { parentPort, workerData } from 'node:worker_threads';
import { EmbeddingKernel, type ModelMemory } from '../../kernels/embedding.ts';
import { embedText } from './embed-text.ts';
import type { EmbeddingReply, EmbeddingRequest } from './embedding-thread-client.ts';

const port = parentPort!;
const kernel = new EmbeddingKernel(workerData as ModelMemory);

port.on('message', ({ id, texts }: EmbeddingRequest) => {
  const numbers = new Float32Array(texts.length * kernel.dims);
  for (const [i, text] of texts.entries()) numbers.set(embedText(kernel, text), i * kernel.dims);
  port.postMessage({ id, numbers } satisfies EmbeddingReply, [numbers.buffer]);
});
