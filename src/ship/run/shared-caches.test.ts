import { create } from '@bufbuild/protobuf';
import { expect, it } from 'vitest';
import { type DownloadCacheResponse, DownloadCacheResponseSchema, RunRefSchema, type UploadCacheRequest,
  type UploadCacheResponse, UploadCacheResponseSchema,
  UploadCacheStatus } from '../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { VirtualTime } from '../../testkit/ship/virtual-time.ts';
import { StagingFailure } from '../execute/port.ts';
import { RefusedCall } from '../link.ts';
import { SharedCaches } from './shared-files.ts';

const ref = create(RunRefSchema, { runId: 'r', attempt: 1, fencingToken: 1n });
const FILE = {
  key: 'k',
  size: 3,
  sha256: Buffer.alloc(32),
  content: async function*() {
    yield Buffer.from('abc');
  },
};

/** A server whose next uploads and downloads end like this. */
function bench(...answers: (UploadCacheStatus | Error)[]) {
  const time = new VirtualTime();
  const [kill, ended] = [new AbortController(), new AbortController()];
  const calls: string[] = [];
  const next = (call: string): UploadCacheStatus => {
    calls.push(call);
    const answer = answers.shift()!;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const caches = new SharedCaches({
    ref,
    kill: kill.signal,
    onFenced: () => calls.push('fenced'),
    time: { timer: time, clock: time, monotonic: () => time.now(), random: () => 0.5 },
    link: {
      async uploadCache(parts: AsyncIterable<UploadCacheRequest>): Promise<UploadCacheResponse> {
        const sent = await Array.fromAsync(parts, ({ body }) => body.case);
        return create(UploadCacheResponseSchema, { status: next(sent.join()) });
      },
      async *downloadCache(): AsyncGenerator<DownloadCacheResponse> {
        if (next('download') === UploadCacheStatus.UPLOAD_CACHE_FENCED)
          yield create(DownloadCacheResponseSchema, { body: { case: 'fenced', value: true } });
      },
      discardCache: () => Promise.reject(new Error('down')),
    },
  });
  const read = async (messages: AsyncIterable<DownloadCacheResponse>): Promise<void> =>
    void await Array.fromAsync(messages);
  return { caches, time, calls, ended, read };
}

const down = (): Error => new Error('no connection');

it('a cache is sent again after a failure, and given up on after three', async () => {
  const { caches, time, calls, ended } = bench(down(), UploadCacheStatus.CACHE_KEPT, UploadCacheStatus.CACHE_EXISTS,
    down(), down(), down());
  expect(await time.until(caches.keep(FILE, ended.signal))).toBeUndefined();
  expect(calls).toEqual(['description,chunk', 'description,chunk']);
  expect(await time.until(caches.keep(FILE, ended.signal))).toBeUndefined();
  expect(await time.until(caches.keep(FILE, ended.signal))).toBe('no connection');
  expect(await time.until(caches.discard('k', ended.signal))).toBe('down');
});

it('a server that refuses it, and a run that is over, end the tries', async () => {
  const { caches, time, ended, calls } = bench(new RefusedCall('no such call'), UploadCacheStatus.CACHE_OVER_LIMIT,
    UploadCacheStatus.UPLOAD_CACHE_FENCED, down());
  expect(await caches.keep(FILE, ended.signal)).toBe('the server refuses it: no such call');
  expect(await caches.keep(FILE, ended.signal)).toContain('no longer');
  expect(await caches.keep(FILE, ended.signal)).toContain('no longer');
  expect(calls.at(-1)).toBe('fenced');
  const waiting = caches.keep(FILE, ended.signal);
  ended.abort();
  expect(await time.until(waiting)).toBe('the run had to end');
});

it('a cache is read again after a failure of the network, but not after one of this disk', async () => {
  const { caches, time, calls, ended, read } = bench(down(), UploadCacheStatus.CACHE_KEPT, UploadCacheStatus.CACHE_KEPT,
    UploadCacheStatus.UPLOAD_CACHE_FENCED);
  const wanted = { key: 'k', restoreKeys: [] };
  expect(await time.until(caches.fetch(wanted, read, ended.signal))).toBeUndefined();
  expect(calls).toEqual(['download', 'download']);
  const full = async (messages: AsyncIterable<DownloadCacheResponse>): Promise<void> => {
    await read(messages);
    throw new StagingFailure('ENOSPC');
  };
  expect(await caches.fetch(wanted, full, ended.signal)).toBe('ENOSPC');
  await caches.fetch(wanted, read, ended.signal);
  expect(calls.slice(-2)).toEqual(['download', 'fenced']);
});
