import { CommandError } from '../shared/command-error.ts';

export interface Line {
  /** Counted from 1. */
  readonly number: number;
  /** Without its line end. */
  readonly bytes: Buffer;
}

// A line is one document; the service accepts bodies of 32 MiB by default.
const MAX_LINE = 64 * 2 ** 20;
const NEWLINE = 0x0a;

/**
 * Splits chunks into lines at `\n` only: JSON text may contain U+2028 and similar characters, at which readline would
 * split. Blank lines are counted but not returned. At most one line is in memory.
 * @throws {CommandError} for a line that is longer than `maxBytes`.
 */
export async function* readLines(chunks: AsyncIterable<Buffer>, name: string,
  maxBytes = MAX_LINE): AsyncGenerator<Line>
{
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let number = 1;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      const bytes = Buffer.concat([...pending, chunk.subarray(start, end)]);
      if (!isBlank(bytes)) yield { number, bytes };
      [pending, pendingBytes, start] = [[], 0, end + 1];
      number++;
    }
    pending.push(chunk.subarray(start));
    pendingBytes += chunk.length - start;
    if (pendingBytes > maxBytes) {
      throw new CommandError(
        `line ${number} of ${name} is longer than ${maxBytes} bytes: is it one JSON object a line?`,
      );
    }
  }
  const last = Buffer.concat(pending);
  if (!isBlank(last)) yield { number, bytes: last };
}

const isBlank = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
