import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { SpecificationError } from './specification-error.ts';

/** Compiles all kernels like `buildKernels`, beside the work of this thread: the compiler never yields. */
export async function buildKernelsInThread(root: string, target: string): Promise<void> {
  const thread = new Worker(new URL('kernels-thread.ts', import.meta.url), { workerData: { root, target } });
  const crash = once(thread, 'exit').then(() => ['the compiler of the kernels crashed']);
  const [problem] = (await Promise.race([once(thread, 'message'), crash])) as [string | null];
  if (problem !== null) throw new SpecificationError(problem);
}
