// The thread of `buildKernelsInThread`. It posts why a kernel does not compile, or null.
import { parentPort } from 'node:worker_threads';
import { buildKernels, type KernelsRequest } from './build-kernels.ts';
import { SpecificationError } from './openapi-types.ts';

parentPort!.on('message', async ({ root, target }: KernelsRequest) => {
  try {
    await buildKernels(root, target);
    parentPort!.postMessage(null);
  } catch (error) {
    // Errors lose their class on the way to another thread.
    if (!(error instanceof SpecificationError)) throw error;
    parentPort!.postMessage(error.message);
  }
});
