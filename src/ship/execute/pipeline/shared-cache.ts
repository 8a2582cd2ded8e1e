import { open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CacheDescription, DownloadCacheResponse } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { formatByteSize } from '../../../lib/byte-size.ts';
import { bytesOf, HashedFile, onDisk, sha256Of } from '../files/index.ts';
import { StagingFailure } from '../port.ts';
import { type CacheEntry, type CacheMeta, CONTENT, META, nameOf, type NoteLine } from './cache-entry.ts';
import type { StepSetting } from './run-step.ts';

/**
 * Fetches what the server has for a key that this ship does not have, or for one of the restore keys; undefined if that
 * is nothing, or not possible.
 */
export async function fetchShared(setting: StepSetting,
  wanted: { readonly key: string; readonly restoreKeys: readonly string[] },
  note: NoteLine): Promise<CacheEntry | undefined>
{
  const { work } = setting;
  let fetched: CacheEntry | undefined;
  const reason = await work.fetchCache(wanted, async (messages) => {
    fetched = await receive(setting, messages);
  }, work.limits.ended);
  if (reason !== undefined && !work.limits.ended.aborted)
    await note('warn', `the cache ${wanted.key} is not fetched from the server: ${reason}`);
  return fetched;
}

/** Has the server keep a cache of this ship. A failure is a warning: the ship has the cache nevertheless. */
export async function share({ context: { kept }, work }: StepSetting, { name, key }: CacheEntry,
  note: NoteLine): Promise<void>
{
  const reason = await kept.use('caches', name, async (path) => {
    const file = await open(join(path, CONTENT), 'r');
    try {
      const { size, sha256 } = await sha256Of(file);
      return await work.keepCache({ key, size, sha256, content: () => bytesOf(file) }, work.limits.ended);
    } finally {
      await file.close();
    }
  }).catch((error: Error) => error.message);
  if (reason !== undefined) await note('warn', `the server does not keep the cache ${key}: ${reason}`);
}

/** Adds a download to the caches of this ship, unless it is there already. */
async function receive({ context: { kept }, work }: StepSetting,
  messages: AsyncIterable<DownloadCacheResponse>): Promise<CacheEntry | undefined>
{
  const project = work.assignment.projectId;
  let incoming: IncomingCache | undefined;
  try {
    for await (const { body } of messages) {
      if (body.case === 'description') {
        const entry = { name: nameOf(project, body.value.key), key: body.value.key };
        if (kept.has('caches', entry.name)) return entry;
        if (body.value.size > BigInt(kept.limit))
          throw new StagingFailure(
            `${entry.key} is larger than all that the ship keeps (${formatByteSize(kept.limit)})`,
          );
        incoming = await IncomingCache.begin(await onDisk(() => kept.begin()), project, body.value);
      } else if (body.case === 'chunk') {
        if (incoming === undefined) throw new Error('the server sent bytes without a description');
        await incoming.file.write(body.value);
      }
    }
    if (incoming === undefined) return undefined;
    const entry = await incoming.finish();
    await onDisk(() => kept.add('caches', entry.name, incoming!.folder));
    return entry;
  } catch (error) {
    await incoming?.discard();
    throw error;
  }
}

/** An entry of the ship's caches whose bytes arrive. */
class IncomingCache {
  readonly folder: string;
  readonly file: HashedFile;
  readonly #project: string;
  readonly #description: CacheDescription;

  static async begin(folder: string, project: string, description: CacheDescription): Promise<IncomingCache> {
    return new IncomingCache(folder, await HashedFile.create(join(folder, CONTENT), 0o600), project, description);
  }

  private constructor(folder: string, file: HashedFile, project: string, description: CacheDescription) {
    this.folder = folder;
    this.file = file;
    this.#project = project;
    this.#description = description;
  }

  async finish(): Promise<CacheEntry> {
    const { key, sha256, createdUnixMs } = this.#description;
    await this.file.finish(sha256, `the cache ${key}`);
    const meta: CacheMeta = { project: this.#project, key, createdMs: Number(createdUnixMs) };
    await onDisk(() => writeFile(join(this.folder, META), JSON.stringify(meta), { mode: 0o600 }));
    return { name: nameOf(this.#project, key), key };
  }

  async discard(): Promise<void> {
    await this.file.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}
