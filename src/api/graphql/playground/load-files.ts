import { askThread } from '../../../lib/thread-client.ts';
import { workerFile } from '../../../lib/worker-file.ts';
import type { PlaygroundFiles, PlaygroundOptions } from './protocol.ts';

/** Makes the files of the playground in a thread of their own; called again only after a failure. */
export function createFileLoader(options: PlaygroundOptions): () => Promise<PlaygroundFiles> {
  let files: Promise<PlaygroundFiles> | undefined;
  return () => {
    files ??= load(options).catch((error: unknown) => {
      files = undefined;
      throw error;
    });
    return files;
  };
}

/** The thread must not keep a process alive that was asked to stop. */
function load(options: PlaygroundOptions): Promise<PlaygroundFiles> {
  return askThread(workerFile(import.meta.url, 'thread'), options, {
    name: 'the thread of the playground',
    keepsAlive: false,
  });
}
