// The thread of `buildKernelsInThread`. It posts why a kernel does not compile, or null.
import { parentPort, workerData } from 'node:worker_threads';
import { buildKernels } from './build-kernels.ts';
import { SpecificationError } from './specification-error.ts';

const { root, target } = workerData as { readonly root: string; readonly target: string };
try {
  await buildKernels(root, target);
  parentPort!.postMessage(null);
} catch (error) {
  // Errors lose their class on the way to another thread.
  if (!(error instanceof SpecificationError)) throw error;
  parentPort!.postMessage(error.message);
}
