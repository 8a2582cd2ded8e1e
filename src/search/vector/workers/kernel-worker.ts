import { parentPort } from 'node:worker_threads';
import { instantiateKernel } from '../../../kernels/load.ts';
import type { FromWorker, ToWorker } from './worker-pool.ts';

// Runs kernels over memories that it shares with the main thread, one call at a time.

interface KnownMemory {
  readonly value: WebAssembly.Memory;
  readonly instances: Map<number, WebAssembly.Exports>;
}

const memories = new Map<number, KnownMemory>();
const modules = new Map<number, WebAssembly.Module>();

parentPort!.on('message', (message: ToWorker) => {
  if (message.kind === 'memory') memories.set(message.memory, { value: message.value, instances: new Map() });
  else if (message.kind === 'module') modules.set(message.module, message.value);
  else if (message.kind === 'forget') memories.delete(message.memory);
  else parentPort!.postMessage(answer(message));
});

function answer({ memory, module, call, args }: ToWorker & { kind: 'call' }): FromWorker {
  try {
    const kernel = instanceOf(memory, module)[call] as (...numbers: readonly number[]) => number | undefined;
    return { result: kernel(...args) ?? 0 };
  } catch (error) {
    return { error: String(error) };
  }
}

function instanceOf(memory: number, module: number): WebAssembly.Exports {
  const { value, instances } = memories.get(memory)!;
  let instance = instances.get(module);
  if (instance === undefined) {
    instance = instantiateKernel(modules.get(module)!, value);
    instances.set(module, instance);
  }
  return instance;
}
