import { askThread, workerFile } from '../../../lib/thread-client.ts';

/** A file of the playground, compressed in both encodings that browsers accept. */
export interface PlaygroundFile {
  readonly type: string;
  /** Entity tag of the content, in quotes. */
  readonly etag: string;
  readonly br: Uint8Array;
  readonly gzip: Uint8Array;
}

/** The files by their path below the playground's path; the page itself has the empty path. */
export type PlaygroundFiles = ReadonlyMap<string, PlaygroundFile>;

/** The request to the thread. */
export interface PlaygroundOptions {
  readonly endpoint: string;
  readonly base: string;
}

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
