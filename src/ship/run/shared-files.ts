import { create } from '@bufbuild/protobuf';
import { DiscardCacheRequestSchema, DownloadCacheRequestSchema, type DownloadCacheResponse, type RunRef,
  type UploadArtifactRequest, UploadArtifactRequestSchema, type UploadCacheRequest, UploadCacheRequestSchema,
  UploadCacheStatus } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { type ArtifactFile, type CacheFile, type CacheReader, StagingFailure } from '../execute/port.ts';
import { RefusedCall, type ShipLink } from '../link.ts';
import { RetryPause, type ShipTime } from '../time.ts';

/** The messages of a file: its description, then its bytes. */
export async function* artifactParts(ref: RunRef,
  { name, step, size, sha256, executable, reportFormat, content }: ArtifactFile): AsyncGenerator<UploadArtifactRequest>
{
  yield create(UploadArtifactRequestSchema, {
    body: { case: 'description', value: { ref, name, step, size: BigInt(size), sha256, executable, reportFormat } },
  });
  for await (const chunk of content())
    yield create(UploadArtifactRequestSchema, { body: { case: 'chunk', value: chunk } });
}

/** A run does without the server's caches after so many failures in a row, because they only save time. */
const TRIES = 3;

interface SharedCachesOptions {
  readonly ref: RunRef;
  readonly link: Pick<ShipLink, 'uploadCache' | 'downloadCache' | 'discardCache'>;
  readonly time: ShipTime;
  /** Aborts when the ship no longer holds the run. */
  readonly kill: AbortSignal;
  /** Called when the server says that the ship no longer holds the run. */
  onFenced(): void;
}

/**
 * Caches of steps that the server keeps for all ships, as an attempt reaches them. Its functions resolve with the
 * reason if they fail.
 */
export class SharedCaches {
  readonly #options: SharedCachesOptions;

  constructor(options: SharedCachesOptions) {
    this.#options = options;
  }

  fetch(wanted: { readonly key: string; readonly restoreKeys: readonly string[] }, receive: CacheReader,
    ended: AbortSignal): Promise<string | undefined>
  {
    const { ref, link } = this.#options;
    const request = create(DownloadCacheRequestSchema, { ref, key: wanted.key, restoreKeys: [...wanted.restoreKeys] });
    return this.#trying(ended, async (over) => {
      await receive(this.#unlessFenced(link.downloadCache(request, over)));
      return undefined;
    });
  }

  keep(file: CacheFile, ended: AbortSignal): Promise<string | undefined> {
    const { ref, link, onFenced } = this.#options;
    return this.#trying(ended, async (over) => {
      const { status, message } = await link.uploadCache(cacheParts(ref, file), over);
      if (status === UploadCacheStatus.CACHE_KEPT || status === UploadCacheStatus.CACHE_EXISTS) return undefined;
      if (status === UploadCacheStatus.UPLOAD_CACHE_FENCED) onFenced();
      return message || "the run is no longer this ship's";
    });
  }

  discard(key: string, ended: AbortSignal): Promise<string | undefined> {
    const { ref, link } = this.#options;
    return this.#trying(ended, async () => {
      await link.discardCache(create(DiscardCacheRequestSchema, { ref, key }));
      return undefined;
    });
  }

  async #trying(ended: AbortSignal,
    work: (over: AbortSignal) => Promise<string | undefined>): Promise<string | undefined>
  {
    const { time, kill } = this.#options;
    const over = AbortSignal.any([kill, ended]);
    const pause = new RetryPause(time.timer, time.random);
    for (let tries = 1; !over.aborted; tries++) {
      try {
        return await work(over);
      } catch (error) {
        const { message } = error as Error;
        if (error instanceof StagingFailure) return message;
        if (error instanceof RefusedCall) return `the server refuses it: ${message}`;
        if (tries === TRIES) return message;
      }
      await pause.afterFailure(over);
    }
    return 'the run had to end';
  }

  async *#unlessFenced(messages: AsyncIterable<DownloadCacheResponse>): AsyncGenerator<DownloadCacheResponse> {
    for await (const message of messages) {
      if (message.body.case === 'fenced') this.#options.onFenced();
      yield message;
    }
  }
}

/** The messages of a cache: its description, then its bytes. */
async function* cacheParts(ref: RunRef, { key, size, sha256, content }: CacheFile): AsyncGenerator<UploadCacheRequest> {
  yield create(UploadCacheRequestSchema, {
    body: { case: 'description', value: { ref, key, size: BigInt(size), sha256 } },
  });
  for await (const chunk of content())
    yield create(UploadCacheRequestSchema, { body: { case: 'chunk', value: chunk } });
}
