import { ServiceError } from '../../../errors/index.ts';
import { RefusedRequest } from '../../../lib/refused-request.ts';
import type { Outbound } from '../../../net/index.ts';

/** The download of a dump may take long; a separate limit ends connections to servers that send nothing. */
const TIMEOUT_MS = 12 * 3_600_000;

export interface SourceOptions {
  readonly outbound: Pick<Outbound, 'fetch'>;
  /** Maximum number of bytes to fetch; 0 for no limit. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/** The bytes of a dump: of a file that is being uploaded, of a complete file, or of a URL. */
export function dumpSource(file: unknown, options: SourceOptions): AsyncIterable<Uint8Array> {
  if (file instanceof URL) return fetched(file, options);
  if (file instanceof Blob) return file.stream();
  if (typeof file === 'object' && file !== null && Symbol.asyncIterator in file)
    return file as AsyncIterable<Uint8Array>;
  throw new ServiceError('invalid_argument', 'file must be a file');
}

async function* fetched(url: URL, { outbound, maxBytes, signal }: SourceOptions): AsyncGenerator<Uint8Array> {
  try {
    const response = await outbound.fetch({ maxBytes: maxBytes || Number.MAX_SAFE_INTEGER, timeoutMs: TIMEOUT_MS })(url,
      { signal });
    if (!response.ok) {
      await response.body?.cancel();
      throw new ServiceError('invalid_argument', `url could not be fetched: the server returned ${response.status}`);
    }
    if (response.body !== null) yield* response.body as AsyncIterable<Uint8Array>;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ServiceError) throw error;
    if (error instanceof RefusedRequest)
      throw new ServiceError(error.rule === 'size' ? 'payload_too_large' : 'invalid_argument',
        `url could not be fetched: ${error.message}`, { cause: error });
    throw new ServiceError('invalid_argument', 'url could not be fetched', { cause: error });
  }
}
