import type { Io } from './io.ts';
import type { OutputOptions } from './output.ts';

const EVERY_MS = 1000;

/** Waits for a response; on a terminal, says every second that it is still waiting. */
export async function waiting<T>(io: Io, { quiet }: OutputOptions, work: Promise<T>): Promise<T> {
  if (io.stderr.isTTY !== true || quiet === true) return work;
  let seconds = 0;
  const timer = setInterval(() => io.stderr.write(`\rwaiting for the service, ${++seconds} s`), EVERY_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
    // Moves to the beginning of the line, and clears it.
    if (seconds > 0) io.stderr.write('\r\u001b[K');
  }
}
