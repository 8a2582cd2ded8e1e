import { askThread } from '../lib/thread-client.ts';
import { SpecificationError } from './openapi-types.ts';

export interface KernelsRequest {
  readonly root: string;
  readonly target: string;
}

/** Compiles all kernels like `buildKernels`, beside the work of this thread: the compiler never yields. */
export async function buildKernelsInThread(root: string, target: string): Promise<void> {
  const file = new URL('kernels-thread.ts', import.meta.url);
  const failure = (): SpecificationError => new SpecificationError('the compiler of the kernels crashed');
  const problem = await askThread<KernelsRequest, string | null>(file, { root, target }, {
    name: 'the compiler of the kernels',
    failure,
  });
  if (problem !== null) throw new SpecificationError(problem);
}
