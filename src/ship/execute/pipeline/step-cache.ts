import { createHash } from 'node:crypto';
import { lstat, open, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CacheDescription, DownloadCacheResponse, Step,
  StepCache } from '../../../../generated/proto/quire/fleet/v1/fleet_pb.js';
import { formatByteSize } from '../../../lib/byte-size.ts';
import { type CacheKeyPart, parseCacheKey } from '../../../lib/cache-key.ts';
import type { Failure } from '../failure.ts';
import { bytesOf, findFiles, HashedFile, onDisk, openInside, sha256Of } from '../files.ts';
import type { OutputWriter } from '../output/run-output.ts';
import { StagingFailure } from '../port.ts';
import type { ProcessEnd } from '../process/run-process.ts';
import { isWithin } from '../sandbox/index.ts';
import type { StepSetting } from './run-step.ts';
import { runTar, type ToolJob } from './run-tool.ts';

/** Files in the folder of a cache. */
const [CONTENT, META] = ['content.tar', 'meta.json'] as const;

interface CacheMeta {
  readonly project: string;
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly createdMs: number;
}

/** A cache in the store of the ship. */
interface CacheEntry {
  /** Name of its folder. */
  readonly name: string;
  readonly key: string;
}

/** Adds a line of the ship to the log of the run. */
type NoteLine = (level: 'info' | 'warn', text: string) => Promise<void>;

const nameOf = (project: string, key: string): string =>
  createHash('sha256').update(`${project}\0${key}`).digest('hex').slice(0, 40);

/**
 * Fetches what the server has for a key that this ship does not have, or for one of the restore keys; undefined if that
 * is nothing, or not possible.
 */
async function fetchShared(setting: StepSetting,
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
async function share({ context: { kept }, work }: StepSetting, { name, key }: CacheEntry,
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

/** The restored cache of a step. */
interface OpenCache {
  /** Must be called after the step has succeeded. Never rejects. */
  save(): Promise<void>;
}

/**
 * Restores into the work folder what earlier runs of the project have stored under the step's key, on this ship or on
 * the server, or the newest entry whose key begins with one of its restore keys. `tar` writes and reads the archive as
 * the run itself, as its user and in its sandbox, so it can read and overwrite only what a step could. Undefined
 * without a cache.
 */
export async function restoreCache(setting: StepSetting, step: Step): Promise<OpenCache | Failure | undefined> {
  const { context: { kept }, work, plan, files } = setting;
  const { cache } = step;
  // A step marked `always` that runs in the rest of the grace has no cache.
  if (cache === undefined || cache.key === '' || work.limits.ended.aborted) return undefined;
  const note: NoteLine = (level, text) => work.output.note(level, text, step.name);
  const key = await keyOf(setting, cache.key).catch((error: Error) => error);
  if (key instanceof Error || !kept.isOpen) {
    await note('warn',
      `the step runs without its cache: ${key instanceof Error ? key.message : 'this ship keeps none'}`);
    return undefined;
  }
  const name = nameOf(work.assignment.projectId, key);
  const found = await find(setting, cache, { name, key }, note);
  if (work.limits.ended.aborted) return undefined;
  const place = `${found?.name} ${cache.paths.join('\0')}`;
  if (found === undefined) await note('info', `there is no cache ${key} yet`);
  else if (plan.steps.some(({ needs }) => needs !== undefined) && files.restored.has(place))
    // A step beside this one may use it.
    await note('info', `the cache ${found.key} is restored already`);
  else {
    const end = await kept.use('caches', found.name, (path) => unpack(setting, step, join(path, CONTENT))).catch((
      error: Error,
    ) => error);
    if (work.limits.ended.aborted) return undefined;
    if (end instanceof Error || end.exitCode !== 0) {
      await kept.remove('caches', found.name);
      if (cache.shared) await work.discardCache(found.key, work.limits.ended);
      return {
        code: 'ship_error',
        step: step.name,
        message: `the cache ${found.key} could not be restored, and is removed`,
      };
    }
    files.restored.add(place);
    await note('info', `restored the cache ${found.key}`);
  }
  return { save: async () => (found?.name === name ? undefined : save(setting, step, cache, { name, key }, note)) };
}

/** The entry of the key, or else what the server has for the step, or else what this ship has for the restore keys. */
async function find(setting: StepSetting, { shared, restoreKeys }: StepCache, own: CacheEntry,
  note: NoteLine): Promise<CacheEntry | undefined>
{
  if (setting.context.kept.has('caches', own.name)) return own;
  const fetched = shared ? await fetchShared(setting, { key: own.key, restoreKeys }, note) : undefined;
  return fetched ?? newestOf(setting, restoreKeys);
}

const ofStep = ({ plan }: StepSetting, step: Step): ToolJob => ({
  name: `cache-${plan.steps.indexOf(step)}`,
  step: step.name,
});

async function keyOf(setting: StepSetting, template: string): Promise<string> {
  const parts = parseCacheKey(template);
  if (typeof parts === 'string') throw new Error(parts);
  let key = '';
  for (const part of parts)
    key += part.kind === 'text'
      ? part.text
      : part.kind === 'word'
      ? wordOf(setting, part.word)
      : await hashOf(setting, part.files);
  return key;
}

function wordOf({ source }: StepSetting, word: Extract<CacheKeyPart, { kind: 'word' }>['word']): string {
  if (word === 'ref') return source?.ref ?? '';
  if (word === 'os') return process.platform;
  return process.arch === 'x64' ? 'amd64' : process.arch;
}

async function hashOf({ folder, user }: StepSetting, patterns: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const pattern of patterns) {
    const files = await findFiles(folder.source, pattern);
    if (files.length === 0) throw new Error(`there is no file ${pattern} for its key`);
    for (const name of files) {
      const file = await openInside(folder.source, name, user).catch((error: Error) => {
        throw new Error(`${name}: ${error.message}`);
      });
      try {
        hash.update(name).update('\0').update((await sha256Of(file)).sha256);
      } finally {
        await file.close();
      }
    }
  }
  return hash.digest('hex').slice(0, 32);
}

/** Uses the first restore key that has an entry. */
async function newestOf({ context: { kept }, work }: StepSetting,
  beginnings: readonly string[]): Promise<CacheEntry | undefined>
{
  if (beginnings.length === 0) return undefined;
  const known: (CacheMeta & CacheEntry)[] = [];
  for (const name of kept.keysOf('caches')) {
    const meta = await readFile(join(kept.pathOf('caches', name), META), 'utf8').then(
      (text) => JSON.parse(text) as CacheMeta,
      () => undefined,
    );
    if (meta?.project === work.assignment.projectId) known.push({ ...meta, name });
  }
  known.sort((one, other) => other.createdMs - one.createdMs);
  for (const beginning of beginnings) {
    const found = known.find(({ key }) => key.startsWith(beginning));
    if (found !== undefined) return found;
  }
  return undefined;
}

async function unpack(setting: StepSetting, step: Step, archive: string): Promise<ProcessEnd> {
  const file = await open(archive, 'r');
  try {
    return await runTar(setting, ofStep(setting, step), ['-xof', '-'], { stdin: file.fd });
  } finally {
    await file.close();
  }
}

async function save(setting: StepSetting, step: Step, { paths, shared }: StepCache, { name, key }: CacheEntry,
  note: NoteLine): Promise<void>
{
  const { context: { kept, clock }, work } = setting;
  try {
    const members = await membersOf(setting, paths);
    if (members.length === 0)
      return await note('warn', `the cache ${key} is not saved: there is nothing of ${paths.join(', ')}`);
    const folder = await kept.begin();
    const size = await pack(setting, step, members, join(folder, CONTENT));
    const meta: CacheMeta = { project: work.assignment.projectId, key, createdMs: clock.now() };
    await writeFile(join(folder, META), JSON.stringify(meta), { mode: 0o600 });
    await kept.add('caches', name, folder);
    await note('info', `saved the cache ${key} (${formatByteSize(size)})`);
    if (shared) await share(setting, { name, key }, note);
  } catch (error) {
    await note('warn', `the cache ${key} is not saved: ${(error as Error).message}`);
  }
}

/** The existing paths, relative to the attempt's folder; links are not followed. */
async function membersOf({ folder }: StepSetting, paths: readonly string[]): Promise<string[]> {
  const members: string[] = [];
  for (const path of paths) {
    const [root, inner] = path.startsWith('~/') ? [folder.home, path.slice(2)] : [folder.source, path];
    const target = join(root, inner);
    if (!isWithin(target, root) || !await lstat(target).then(() => true, () => false)) continue;
    if (await realpath(dirname(target)) !== join(await realpath(root), dirname(inner)))
      throw new Error(`there is a link on the way to ${path}`);
    members.push(target.slice(folder.path.length + 1));
  }
  return members;
}

/** Writes the archive to the disk; returns its bytes. */
async function pack(setting: StepSetting, step: Step, members: readonly string[], archive: string): Promise<number> {
  const { limit } = setting.context.kept;
  const file = await open(archive, 'wx', 0o600);
  const tooLarge = new AbortController();
  let [size, failure]: [number, unknown] = [0, undefined];
  const stdout: OutputWriter = {
    async write(chunk) {
      size += chunk.length;
      if (size > limit) tooLarge.abort();
      if (size > limit || failure !== undefined) return;
      await file.writeFile(chunk).catch((error: unknown) => {
        failure = error;
        tooLarge.abort();
      });
    },
    flush: async () => undefined,
    end: async () => undefined,
  };
  try {
    const { exitCode } = await runTar(setting, ofStep(setting, step), ['-cf', '-', '--', ...members], {
      stdout,
      kill: tooLarge.signal,
    });
    if (failure !== undefined) throw failure;
    if (size > limit) throw new Error(`it is larger than all that the ship keeps (${formatByteSize(limit)})`);
    if (exitCode !== 0) throw new Error('tar failed');
    await file.sync();
    return size;
  } finally {
    await file.close();
  }
}
