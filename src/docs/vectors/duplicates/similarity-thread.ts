import { parentPort } from 'node:worker_threads';
import { SimilarityKernel } from '../../../kernels/similarity.ts';
import type { FromThread, ToThread } from './similar-documents.ts';

// Compares the documents of one request.

const sets = new Map<number, SimilarityKernel>();

parentPort!.on('message', (message: ToThread) => {
  if (message.op === 'add') add(message);
  const compared = message.op === 'add'
    ? []
    : [...sets].map(([set, kernel]) => [set, kernel.compare(message.threshold)] as const);
  parentPort!.postMessage(compared satisfies FromThread);
});

function add({ set, dims, metric, counts, vectors }: ToThread & { op: 'add' }): void {
  let kernel = sets.get(set);
  if (kernel === undefined) sets.set(set, kernel = new SimilarityKernel(dims, metric));
  let at = 0;
  for (const count of counts) kernel.add(vectors.subarray(at, at += count * dims));
}
