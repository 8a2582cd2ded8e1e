import { constants, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Masker } from '../mask/masker.ts';
import type { WorkResult } from '../port.ts';
import { fitResult, MAX_RESULT_BYTES, RESULT_TYPE } from '../result.ts';
import type { User } from '../sandbox/index.ts';
import { isPlainFolder } from './work-folder.ts';

/** The result of a pipeline, masked; a text says why there is none although the file exists. */
export async function readResult(file: string, masker: Masker,
  user?: User): Promise<WorkResult['result'] | string | undefined>
{
  const bytes = await readPlainFile(file, 'result', MAX_RESULT_BYTES, user);
  if (bytes === undefined || typeof bytes === 'string') return bytes;
  if (bytes.length === 0) return undefined;
  // The end is not flushed: in a truncated file it may be a part of a secret that cannot be recognised, so the stream
  // holds it back.
  const stream = masker.stream();
  const cut = bytes.length > MAX_RESULT_BYTES;
  const shown = stream.push(bytes.subarray(0, MAX_RESULT_BYTES));
  const content = (cut ? shown : Buffer.concat([shown, stream.end()])).toString();
  const body = Buffer.from(content);
  if (cut || body.length > MAX_RESULT_BYTES) {
    return {
      type: RESULT_TYPE,
      body: fitResult({
        content,
        content_type: 'text/plain',
        model: null,
        finish_reason: null,
        usage: null,
        truncated: cut,
      }),
    };
  }
  return { type: isJson(content) ? 'application/json' : 'text/plain', body };
}

/** Most bytes of a summary. */
export const MAX_SUMMARY_BYTES = 64 * 1024;

/**
 * The Markdown that steps have written for people, masked; a text that is too long ends where the limit is. `problem`
 * says why there is none although the file exists.
 */
export async function readSummary(file: string, masker: Masker,
  user?: User): Promise<{ readonly summary: string } | { readonly problem: string } | undefined>
{
  const bytes = await readPlainFile(file, 'summary', MAX_SUMMARY_BYTES, user);
  if (bytes === undefined) return undefined;
  if (typeof bytes === 'string') return { problem: bytes };
  const stream = masker.stream();
  const isCut = bytes.length > MAX_SUMMARY_BYTES;
  const shown = stream.push(bytes.subarray(0, MAX_SUMMARY_BYTES));
  // As in a result, the end of a truncated file may be a part of a secret.
  const whole = isCut ? shown : Buffer.concat([shown, stream.end()]);
  // Masking may make it longer. A character that the limit cuts decodes to a replacement, which is removed.
  const text = whole.subarray(0, MAX_SUMMARY_BYTES - 4).toString().replaceAll('\0', '').replace(/\uFFFD$/, '');
  return text.trim() === '' ? undefined : { summary: isCut ? `${text}…` : text };
}

/** Only a file that the steps wrote there: a link could lead to a file that they themselves may not read. */
async function readPlainFile(file: string, what: string, most: number,
  user: User | undefined): Promise<Buffer | string | undefined>
{
  if (!await isPlainFolder(dirname(file))) return `the ${what} is not used: its folder was replaced`;
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((
    error: NodeJS.ErrnoException,
  ) => error);
  if (handle instanceof Error)
    return handle.code === 'ENOENT'
      ? undefined
      : `the ${what} is not used: ${handle.code === 'ELOOP' ? 'it is a link' : handle.code}`;
  try {
    const stat = await handle.stat();
    if (!stat.isFile() || stat.nlink !== 1 || (user !== undefined && stat.uid !== user.uid))
      return `the ${what} is not used: it is not a plain file of the run`;
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(stat.size, most + 1)), 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
