import { ServiceError } from '../../../errors/index.ts';
import type { StreamedBody } from '../../../operations/index.ts';

/** Most bytes of all bodies that are received or worked on at the same time, whoever sends them. */
const MAX_TOGETHER = 96 * 1024 * 1024;

let together = 0;

/**
 * Reads a body that somebody has signed, and works on it: all of its bytes are needed before anybody knows who sent it.
 * Throws `invalid_input` above its limit, and `rate_limited` while other bodies take too much memory.
 */
export async function withSignedBody<T>({ content, maxRecordBytes }: Pick<StreamedBody, 'content' | 'maxRecordBytes'>,
  work: (body: Buffer) => Promise<T>): Promise<T>
{
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of content) {
      size += chunk.length;
      together += chunk.length;
      if (size > maxRecordBytes)
        throw new ServiceError('invalid_input', `the body has more than ${maxRecordBytes} bytes`);
      if (together > MAX_TOGETHER)
        throw new ServiceError('rate_limited', 'too many events are arriving; send it again');
      chunks.push(chunk);
    }
    return await work(Buffer.concat(chunks));
  } finally {
    together -= size;
  }
}
