import type { Readable, Writable } from 'node:stream';

/** A stream that may be a terminal; `columns` is its width then. */
export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** What a command reads from and writes to. Tests pass streams of their own. */
export interface Io {
  readonly stdin: Readable;
  /** What was asked for: tables, documents, the summary. */
  readonly stdout: OutputStream;
  /** What accompanies it: progress, notes, errors. */
  readonly stderr: OutputStream;
  /** The status that the process ends with, once everything is written. */
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

/** Writes lines, each with its end. */
export function writeLines(stream: OutputStream, lines: readonly string[]): void {
  if (lines.length > 0) stream.write(`${lines.join('\n')}\n`);
}
