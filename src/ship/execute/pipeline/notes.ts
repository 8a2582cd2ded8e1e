import { decodeUtf8 } from '../../../lib/bytes.ts';
import { isMaskable, MIN_MASKED_LENGTH } from '../../../lib/maskable.ts';
import type { Work } from '../context.ts';

/** Longer input is only in the file, because the system limits the size of a process's environment. */
const MAX_INPUT_VARIABLE = 32 * 1024;

/** The input for the variable QUIRE_INPUT, or why it has none. */
export function inputVariable(input: Uint8Array): { readonly text: string } | { readonly reason: string } {
  if (input.length > MAX_INPUT_VARIABLE)
    return { reason: `it has ${input.length} bytes, and the variable holds at most ${MAX_INPUT_VARIABLE}` };
  const text = decodeUtf8(Buffer.from(input));
  return text === undefined || text.includes('\0') ? { reason: 'it is no text that a variable can hold' } : { text };
}

/** Says at the start of a run that its input has no variable, and which secrets are not masked. */
export async function noteExceptions({ assignment: { input, secrets }, output }: Work): Promise<void> {
  const variable = inputVariable(input);
  if ('reason' in variable)
    await output.note('warn',
      `the input is in the file QUIRE_INPUT_FILE, and QUIRE_INPUT is not set: ${variable.reason}`);
  const names = Object.keys(secrets);
  const open = names.filter((name) => !isMaskable(secrets[name]!, names));
  for (const name of open)
    await output.note('warn',
      `the value of the secret ${name} is not masked in this log: it has fewer than ${MIN_MASKED_LENGTH} characters, ` +
        "or is a part of a secret's name");
}
