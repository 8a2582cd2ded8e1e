/** The worker thread, which converts files one at a time. */
import { parentPort } from 'node:worker_threads';
import type { ConvertAnswer, ConvertRequest } from './conversion-worker.ts';
import { convertFile, faultOf } from './convert-file.ts';

// What a library leaves behind of a damaged file, such as a promise that nobody awaits, must not end the thread, and
// with it the next file.
process.on('unhandledRejection', () => undefined);

parentPort!.on('message', (request: ConvertRequest) => {
  void answer(request).then((message) => parentPort!.postMessage(message));
});

async function answer(request: ConvertRequest): Promise<ConvertAnswer> {
  try {
    return { conversion: await convertFile(request) };
  } catch (error) {
    const { fault, message } = faultOf(error);
    return { fault, message };
  }
}
