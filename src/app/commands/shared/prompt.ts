import { createInterface } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';
import { InterruptedError, UsageError } from './command-error.ts';
import type { Io } from './io.ts';

/** Whether the command is interactive, so that a user can answer questions. */
export const canAsk = ({ stdin, stderr }: Io): boolean =>
  (stdin as Readable & { readonly isTTY?: boolean }).isTTY === true && stderr.isTTY === true;

/**
 * Asks before an action that cannot be undone; returns whether to do it.
 * @throws {UsageError} if the command is not interactive and `--yes` is absent.
 */
export async function confirm(io: Io, question: string, { yes }: { readonly yes?: boolean }): Promise<boolean> {
  if (yes === true) return true;
  if (!canAsk(io)) throw new UsageError(`${question} Nobody can be asked here: confirm with --yes`);
  return /^y(es)?$/i.test(await ask(io, `${question} [y/N] `));
}

/** Returns the line that the user types after a question. */
export async function ask(io: Io, question: string): Promise<string> {
  return prompt(io, question, io.stderr);
}

/** The same without echoing the input. */
export async function askSecret(io: Io, question: string): Promise<string> {
  io.stderr.write(question);
  const answer = await prompt(io, '', new Writable({ write: (_chunk, _encoding, done) => done() }));
  io.stderr.write('\n');
  return answer;
}

async function prompt({ stdin }: Io, question: string, output: Writable): Promise<string> {
  const reader = createInterface({
    input: stdin,
    output,
    terminal: (stdin as Readable & { readonly isTTY?: boolean }).isTTY === true,
  });
  try {
    return await new Promise<string>((resolve, reject) => {
      reader.once('SIGINT', () => reject(new InterruptedError()));
      reader.once('close', () => reject(new InterruptedError()));
      void reader.question(question).then(resolve, reject);
    });
  } finally {
    reader.close();
  }
}
