import { QuireError } from './quire-error.ts';

/** The lines of a text that arrives in pieces, without their ends. Leaving the loop ends the answer. */
export async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  // Pieces of a line that has not ended yet; joined once, however many there are.
  let begun: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        // What fetch throws when a connection breaks; the reason of a signal passes.
        throw error instanceof TypeError ? new QuireError('the answer broke off', { code: 'network', cause: error }) : error;
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
    // Whoever leaves early wants no more of it; a stream that has ended or failed does not mind.
    await reader.cancel().catch(() => undefined);
  }
}

const withoutReturn = (line: string): string => (line.endsWith('\r') ? line.slice(0, -1) : line);
