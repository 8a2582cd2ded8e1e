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
  const bytes = await readPlainFile(file, user);
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

/** Only a file that the steps wrote there: a link could lead to a file that they themselves may not read. */
async function readPlainFile(file: string, user: User | undefined): Promise<Buffer | string | undefined> {
  if (!await isPlainFolder(dirname(file))) return 'the result is not used: its folder was replaced';
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((
    error: NodeJS.ErrnoException,
  ) => error);
  if (handle instanceof Error)
    return handle.code === 'ENOENT'
      ? undefined
      : `the result is not used: ${handle.code === 'ELOOP' ? 'it is a link' : handle.code}`;
  try {
    const stat = await handle.stat();
    if (!stat.isFile() || stat.nlink !== 1 || (user !== undefined && stat.uid !== user.uid))
      return 'the result is not used: it is not a plain file of the run';
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(stat.size, MAX_RESULT_BYTES + 1)), 0);
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
