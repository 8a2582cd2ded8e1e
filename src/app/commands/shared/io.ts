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
