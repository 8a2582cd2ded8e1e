import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { workerFile } from '../../../lib/worker-file.ts';
import type { PlaygroundFiles } from './protocol.ts';

/** Makes the files of the playground in a thread of their own; called again only after a failure. */
export function createFileLoader(
  options: { readonly endpoint: string; readonly base: string },
): () => Promise<PlaygroundFiles> {
  let files: Promise<PlaygroundFiles> | undefined;
  return () => {
    files ??= load(options).catch((error: unknown) => {
      files = undefined;
      throw error;
    });
    return files;
  };
}

async function load(options: object): Promise<PlaygroundFiles> {
  const worker = new Worker(workerFile(import.meta.url, 'thread'), { workerData: options });
  // The thread must not keep a process alive that was asked to stop.
  worker.unref();
  try {
    const [files] = await once(worker, 'message') as [PlaygroundFiles];
    return files;
  } finally {
    await worker.terminate();
  }
}
