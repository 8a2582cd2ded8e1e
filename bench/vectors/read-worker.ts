// Runs the loop of `read-loop.ts` over its part of a memory on request.
import { parentPort, workerData } from 'node:worker_threads';

const { module, memory, from, to } = workerData as { module: WebAssembly.Module; memory: WebAssembly.Memory;
  from: number; to: number };
const { read } = new WebAssembly.Instance(module, { env: { memory } }).exports as {
  read(from: number, to: number): bigint;
};
parentPort!.on('message', () => parentPort!.postMessage(read(from, to)));
