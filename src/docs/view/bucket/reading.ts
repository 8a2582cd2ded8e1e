import { type Clock, isRecent, type Timer } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { ObjectStore } from '../../../net/objects.ts';
import { foldersOf, type Manifest, manifestPath } from './manifest.ts';
import { type ListedManifest, listManifests, manifestAt, newest } from './shelf.ts';
import { DamagedCheckpoint, receiveSegments, type TransferCounts } from './transfer.ts';
import type { WrittenIndex } from './writing.ts';

export interface ReaderDeps {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Log;
  readonly counts: TransferCounts;
}

/** Most milliseconds for which the start of a view waits for manifests; and a search of an index that rests. */
const READ_MS = 10_000;
const READ_FEW_MS = 5000;

/** After a failure, nothing is asked for this many milliseconds: views that start one after the other wait once. */
const PAUSE_MS = 30_000;

/** Number of manifests that are read at once. */
const AT_ONCE = 16;

/** For up to this many collections their folders are listed one by one; for more, that of the view. */
const FEW = 4;

/** Reads checkpoints from a shared place, which may be slow or out of reach. */
export class CheckpointReader {
  readonly #deps: ReaderDeps;
  #failedAt: number | undefined;

  constructor(deps: ReaderDeps) {
    this.#deps = deps;
  }

  /** As `ViewCopies.manifests`; `indexOf` is the index of a collection. */
  async manifests(indexOf: (collection: string) => WrittenIndex,
    collections: readonly string[]): Promise<ReadonlyMap<string, Manifest>>
  {
    const found = new Map<string, Manifest>();
    const { clock, log } = this.#deps;
    if (collections.length === 0) return found;
    if (this.#failedAt !== undefined && isRecent(this.#failedAt, clock.now(), PAUSE_MS)) return found;
    const late = new AbortController();
    try {
      await Promise.race([
        this.#read(collections.map(indexOf), found, late.signal),
        this.#limit(collections.length > FEW ? READ_MS : READ_FEW_MS, late.signal),
      ]);
      this.#failedAt = undefined;
    } catch (error) {
      this.#failedAt = clock.now();
      log.warn({ err: error }, 'checkpoints in SVC_CHECKPOINTS cannot be read; indexes are built from the tables');
    } finally {
      late.abort();
    }
    return new Map(found);
  }

  /** As `ViewCopies.fetch`; a damaged copy is removed if this process writes copies, so that it is made anew. */
  async fetch(index: WrittenIndex, manifest: Manifest, isWriter: boolean): Promise<void> {
    const { store, counts } = this.#deps;
    const folders = foldersOf(index.view, index.collection);
    try {
      await index.files.receive(manifest.header, receiveSegments(store, folders, manifest, counts));
    } catch (error) {
      if (error instanceof DamagedCheckpoint && isWriter)
        await this.#removeDamaged(manifestPath(folders, manifest.epoch), manifest).catch(() => undefined);
      throw error;
    }
  }

  /** One that was replaced meanwhile may lack segments; the new one stays. */
  async #removeDamaged(path: string, { header }: Manifest): Promise<void> {
    const { store } = this.#deps;
    if ((await manifestAt(store, path))?.header.lsn === header.lsn) await store.remove(path);
  }

  async #limit(milliseconds: number, signal: AbortSignal): Promise<never> {
    await this.#deps.timer.sleep(milliseconds, signal);
    throw new Error(`no answer within ${milliseconds / 1000} s`);
  }

  async #read(indexes: readonly WrittenIndex[], found: Map<string, Manifest>, signal: AbortSignal): Promise<void> {
    const wanted = new Map(indexes.map((index) => [keyOf(index), index]));
    const listed = await this.#list(indexes);
    const byIndex = Map.groupBy(listed.filter(({ index }) => wanted.has(index)), ({ index }) => index);
    const left = [...byIndex];
    const work = async (): Promise<void> => {
      for (let next = left.pop(); next !== undefined && !signal.aborted; next = left.pop()) {
        const { collection, files } = wanted.get(next[0])!;
        const { path } = newest(next[1])!;
        const manifest = await manifestAt(this.#deps.store, path);
        if (manifest === undefined) this.#deps.log.warn({ path, collection }, DAMAGED);
        else if (manifest.magic === files.magic && manifest.header.collection === collection)
          found.set(collection, manifest);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  }

  async #list(indexes: readonly WrittenIndex[]): Promise<ListedManifest[]> {
    const { store } = this.#deps;
    const folders = indexes.length > FEW
      ? [`manifests/${indexes[0]!.view}/`]
      : indexes.map(({ view, collection }) => foldersOf(view, collection).manifests);
    return (await Promise.all(folders.map((folder) => listManifests(store, folder)))).flatMap(({ listed }) => listed);
  }
}

const DAMAGED =
  'the manifest of a checkpoint in SVC_CHECKPOINTS is missing or damaged; the index is built from the tables';

/** The folder of an index, as `ListedManifest.index` has it. */
function keyOf({ view, collection }: WrittenIndex): string {
  return foldersOf(view, collection).manifests.slice('manifests/'.length, -1);
}
