import { QuireError } from './quire-error.ts';

/** The lines of a text that arrives in pieces, without their line ends. Leaving the loop aborts the response. */
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  // Pieces of a line that is not complete yet; they are joined once, however many there are.
  let begun: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        // The error of fetch for a broken connection; the reason of a signal is thrown on.
        throw error instanceof TypeError
          ? new QuireError('the response broke off', { code: 'network', cause: error })
          : error;
      });
      const text = done ? decoder.decode() : decoder.decode(value, { stream: true });
      const parts = text.split('\n');
      for (const part of parts.slice(0, -1)) {
        yield withoutReturn(begun.join('') + part);
        begun = [];
      }
      if (parts.at(-1) !== '') begun.push(parts.at(-1)!);
      if (!done) continue;
      if (begun.length > 0) yield withoutReturn(begun.join(''));
      return;
    }
  } finally {
    // If the caller leaves early, the rest is cancelled; this has no effect on a stream that has ended or failed.
    await reader.cancel().catch(() => undefined);
  }
}

const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line);
