import type { Readable, Writable } from 'node:stream';

/** A stream that may be a terminal; `columns` is then its width. */
export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** The streams that a command reads and writes. Tests pass their own. */
export interface Io {
  readonly stdin: Readable;
  /** The requested output: tables, documents, the summary. */
  readonly stdout: OutputStream;
  /** Additional output: progress, notes, errors. */
  readonly stderr: OutputStream;
  /** Exit status of the process, once everything is written. */
  setExitCode(code: number): void;
}

export const processIo: Io = {
  get stdin() {
    return process.stdin;
  },
  get stdout() {
    return process.stdout;
  },
  get stderr() {
    return process.stderr;
  },
  setExitCode(code) {
    process.exitCode = code;
  },
};

/** Lines without other control characters, with which text of a server could control a terminal. */
export const plainLines = (text: string): string => text.replaceAll(/[^\P{Cc}\n\t]/gu, ' ');

/** Writes lines, each with a line end. */
export function writeLines(stream: OutputStream, lines: readonly string[]): void {
  if (lines.length > 0) stream.write(`${lines.join('\n')}\n`);
}

/** A checkout runs from its sources, through npm; the published package is compiled and installs `quire`. */
const isCheckout = import.meta.url.endsWith('.ts');

/** The command to type for this program, and for each of its services. */
export const PROGRAM = isCheckout ? 'npm run quire --' : 'quire';
export const START_DOCS = isCheckout ? 'npm start' : 'quire docs';
export const START_RUNS = isCheckout ? 'npm run start:runs' : 'quire runs';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Runs work that ends early but in order when the process is interrupted: the first Ctrl-C or SIGTERM aborts the
 * signal, a second one ends the process as if there were no handler.
 */
export async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const abort = (): void => {
    release();
    controller.abort();
  };
  const release = (): void => {
    for (const name of SIGNALS) process.off(name, abort);
  };
  for (const name of SIGNALS) process.on(name, abort);
  try {
    return await work(controller.signal);
  } finally {
    release();
  }
}
