import type { Response as Answer } from 'undici';
import { RefusedRequest } from '../lib/refused-request.ts';

export interface AnswerLimits {
  /** Maximum number of bytes of a body, after decompression. */
  readonly maxBytes: number;
  /** Called once when the body has ended, for whatever reason. */
  readonly onEnd: () => void;
}

const NULL_BODY = new Set([204, 205, 304]);

/**
 * The response as the global `Response`. Its body fails with `RefusedRequest` beyond the limit, which applies after
 * decompression.
 */
export function limitedAnswer(answer: Answer, redirected: boolean, limits: AnswerLimits): Response {
  const { status, statusText, url } = answer;
  const body = answer.body === null || NULL_BODY.has(status)
    ? null
    : limited(answer.body as ReadableStream<Uint8Array>, limits);
  if (body === null) limits.onEnd();
  const response = new Response(body, {
    status,
    statusText: /^[\t\x20-\x7e\x80-\xff]*$/.test(statusText) ? statusText : '',
    headers: [...answer.headers] as [string, string][],
  });
  return Object.defineProperties(response, { url: { value: url }, redirected: { value: redirected } });
}

function limited(body: ReadableStream<Uint8Array>,
  { maxBytes, onEnd }: AnswerLimits): ReadableStream<Uint8Array<ArrayBuffer>>
{
  const reader = body.getReader();
  let bytes = 0;
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        bytes += value?.length ?? 0;
        if (bytes > maxBytes) throw new RefusedRequest('size', `the response has more than ${maxBytes} bytes`);
        if (!done) return controller.enqueue(value as Uint8Array<ArrayBuffer>);
        onEnd();
        controller.close();
      } catch (error) {
        onEnd();
        await reader.cancel(error).catch(() => undefined);
        throw error;
      }
    },
    async cancel(reason) {
      onEnd();
      await reader.cancel(reason);
    },
  }, { highWaterMark: 0 });
}
