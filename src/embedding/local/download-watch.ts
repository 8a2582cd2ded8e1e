export interface Download {
  readonly file: string;
  /** Bytes so far. */
  readonly bytes: number;
  /** Total bytes, if the server states it. */
  readonly of: number | undefined;
}

// Tokenizers and configurations are too small to log.
const WORTH_TELLING_BYTES = 8 * 1024 * 1024;
const STEPS = 10;

/** A `fetch` that reports large downloads, at their start and at every tenth, and aborts them with the signal. */
export function watchedFetch(onProgress: (download: Download) => void, signal: AbortSignal): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, signal });
    const length = Number(response.headers.get('Content-Length') ?? Number.NaN);
    if (!response.ok || response.body === null || response.status === 206 || length < WORTH_TELLING_BYTES)
      return response;
    const file = new URL(input instanceof Request ? input.url : input).pathname.split('/').pop()!;
    const of = Number.isNaN(length) ? undefined : length;
    return new Response(response.body.pipeThrough(counting((bytes) => onProgress({ file, bytes, of }), of)), response);
  };
}

function counting(onProgress: (bytes: number) => void,
  of: number | undefined): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>
{
  const step = (of ?? 10 * WORTH_TELLING_BYTES) / STEPS;
  let bytes = 0;
  let next = of === undefined ? WORTH_TELLING_BYTES : 0;
  return new TransformStream({
    transform(chunk, controller) {
      if (bytes >= next) {
        onProgress(bytes);
        next = (Math.floor(bytes / step) + 1) * step;
      }
      bytes += chunk.length;
      controller.enqueue(chunk);
    },
  });
}
