import type { Io } from './io.ts';
import type { OutputOptions } from './output.ts';

const EVERY_MS = 1000;

/** Waits for an answer; in a terminal, says after a second, and then every second, that it is still waited for. */
export async function waiting<T>(io: Io, { quiet }: OutputOptions, work: Promise<T>): Promise<T> {
  if (io.stderr.isTTY !== true || quiet === true) return work;
  let seconds = 0;
  const timer = setInterval(() => io.stderr.write(`\rwaiting for the service, ${++seconds} s`), EVERY_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    // To the beginning of the line, and clear it.
    if (seconds > 0) io.stderr.write('\r\u001b[K');
  }
}
