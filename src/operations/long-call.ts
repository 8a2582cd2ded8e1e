import type { AccessWatches } from './access-watch.ts';
import type { CallRights } from './call-rights.ts';

/**
 * A call without a time limit: it ends with the permission of its caller, while it works and while its file is sent.
 */
export class LongCall {
  readonly #watches: AccessWatches;
  readonly #rights: CallRights;
  readonly #ended = new AbortController();
  readonly #signal: AbortSignal;

  constructor(watches: AccessWatches, rights: CallRights, client: AbortSignal | undefined) {
    this.#watches = watches;
    this.#rights = rights;
    this.#signal = client === undefined ? this.#ended.signal : AbortSignal.any([client, this.#ended.signal]);
  }

  /**
   * The signal of the work aborts when the client has gone or the permission has ended; then the reason is the error.
   */
  async during<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const release = this.#watch();
    try {
      return await work(this.#signal);
    } finally {
      release();
    }
  }

  /** The pieces of the call's file, for which the same signal holds. */
  async *pieces(content: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const release = this.#watch();
    try {
      yield* piecesWhileAllowed(content, this.#rights);
    } finally {
      release();
    }
  }

  #watch(): () => void {
    const { signal, release } = this.#watches.follow(() => this.#rights.require());
    signal.addEventListener('abort', () => this.#ended.abort(signal.reason), { once: true });
    return release;
  }
}

/**
 * A file that is produced while it is sent may outlast the caller's permission, so the permission is checked before
 * each piece.
 */
export async function* piecesWhileAllowed(content: AsyncIterable<Uint8Array>,
  rights: CallRights): AsyncGenerator<Uint8Array>
{
  for await (const piece of content) {
    if (!rights.isAllowed) await rights.require();
    yield piece;
  }
}
